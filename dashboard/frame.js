// The browser's side of the panel. It makes elements from trees (never from markup), follows the keyboard, and sends
// one event at a time to Python. Everything that can be decided is decided there.

const TAGS = new Set(
  ("a b bdi button code details div form h1 h2 h3 header i input kbd label li nav option p section select small span " +
    "summary table tbody td textarea th thead tr ul meter").split(" "),
)
const ATTRIBUTES = new Set(
  ("aria-current aria-label aria-live aria-selected checked class colspan data-change data-copy data-do data-field data-menu data-row " +
    "data-size disabled href max min name open placeholder role rows scope selected tabindex title type value").split(" "),
)
const HELD = new WeakMap()
const SLOW = 15000
const AGAIN = 4000
const SHOWN = 20000

function make(node) {
  if (typeof node === "string") return document.createTextNode(node)
  const [tag, attributes, ...children] = node
  const element = document.createElement(TAGS.has(tag) ? tag : "span")
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.has(name)) continue
    if (name === "href" && !/^\/[a-z]*$/.test(value)) continue
    element.setAttribute(name, value)
    if (name === "data-size") element.style.setProperty("--size", `${Number(value) || 0}%`)
  }
  for (const child of children) element.append(make(child))
  return element
}

function remembered(name) {
  try { return sessionStorage.getItem(name) } catch { return null }
}

function remember(name, value) {
  try { value === null ? sessionStorage.removeItem(name) : sessionStorage.setItem(name, value) } catch { /* private mode */ }
}

// Events are counted over all pages of one document, as a page may make its frame anew.
function asking() {
  const counted = document.documentElement.dataset
  counted.asked = String(Number(counted.asked || Date.now()) + 1)
  return counted.asked
}

function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader()
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1))
    reader.onerror = () => failed(reader.error)
    reader.readAsDataURL(file)
  })
}

class Frame {
  constructor(root) {
    this.root = root
    this.shown = {}
    this.menu = ""
    this.busy = false
    this.ahead = []
    this.number = -1
    this.onKey = (event) => this.key(event)
    this.onClick = (event) => this.click(event)
    this.onChange = (event) => this.change(event)
    this.onSubmit = (event) => this.submit(event)
    this.onInput = (event) => this.input(event)
  }

  listen() {
    document.addEventListener("keydown", this.onKey, true)
    this.root.addEventListener("click", this.onClick)
    this.root.addEventListener("change", this.onChange)
    this.root.addEventListener("submit", this.onSubmit)
    this.root.addEventListener("input", this.onInput)
  }

  leave() {
    document.removeEventListener("keydown", this.onKey, true)
    this.root.removeEventListener("click", this.onClick)
    this.root.removeEventListener("change", this.onChange)
    this.root.removeEventListener("submit", this.onSubmit)
    this.root.removeEventListener("input", this.onInput)
  }

  show(data, send) {
    this.send = send
    this.data = data
    if (data.number === this.number) return
    this.number = data.number
    // Another rendering may come before the one that answers, and Streamlit may lose what is sent while it renders: only
    // the answer frees the keys, and what it does not answer is sent again. Python hears an id once.
    if (!this.busy || data.answered === this.pending.id) this.free()
    else this.send({ ...this.pending })
    this.root.dataset.answered = data.answered
    this.root.className = `page-${data.page} ${"list" in data.panes ? "listed" : "plain"}`
    this.root.dataset.ready = data.number
    const other = this.view !== data.view || this.page !== data.page
    this.view = data.view
    this.page = data.page
    if (other) { this.menu = ""; this.file = null }
    if (data.recorded) this.settle(data.recorded)
    this.panes(data.panes)
    this.openMenu(data.menu || (this.menu in data.menus ? this.menu : ""))
    if (other) for (const pane of this.root.querySelectorAll(":scope > .pane")) if (!pane.matches(".pane-list")) pane.scrollTop = 0
    this.root.querySelector(`[data-row="${CSS.escape(data.focus)}"]`)?.scrollIntoView({ block: "nearest" })
    if (data.view && remembered(`seen ${data.view}`) === null) remember(`seen ${data.view}`, String(Date.now()))
    this.restore()
    if (data.download) this.keep(data.download)
    const next = this.busy ? undefined : this.ahead.shift()
    if (next) this.press(next)
  }

  panes(trees) {
    for (const name of Object.keys(this.shown)) {
      if (!(name in trees)) {
        this.root.querySelector(`:scope > .pane-${name}`)?.remove()
        delete this.shown[name]
      }
    }
    for (const [name, tree] of Object.entries(trees)) {
      const text = JSON.stringify(tree)
      if (this.shown[name] === text) continue
      this.shown[name] = text
      let pane = this.root.querySelector(`:scope > .pane-${name}`)
      if (!pane) {
        pane = document.createElement("div")
        pane.className = `pane pane-${name}`
        this.root.append(pane)
      }
      const focused = pane.getRootNode().activeElement?.dataset?.field
      const top = pane.scrollTop
      pane.replaceChildren(make(tree))
      pane.scrollTop = top
      if (focused) pane.querySelector(`[data-field="${CSS.escape(focused)}"]`)?.focus()
    }
  }

  // What a person has begun to write outlives a refresh of the page and a refusal, until Python says that it is recorded.
  restore() {
    for (const field of this.root.querySelectorAll("[data-field]")) {
      const draft = remembered(this.draft(field.dataset.field))
      if (draft !== null && field.matches("textarea, input.draft")) field.value = draft
    }
    if (this.file) this.preview()
  }

  // The name of what is begun in a field: it belongs to the card, whichever version of it is seen.
  draft(name, card = (this.view || "").split(" ")[0]) {
    return `draft ${card} ${name}`
  }

  settle({ card, fields }) {
    for (const name of fields) remember(this.draft(name, card), null)
    if (fields.includes("log")) this.file = null
  }

  input(event) {
    const field = event.target
    if (field.matches?.("textarea[data-field], input.draft[data-field]"))
      remember(this.draft(field.dataset.field), field.value || null)
  }

  free() {
    this.busy = false
    clearTimeout(this.late)
    clearInterval(this.again)
    this.root.removeAttribute("aria-busy")
    this.notice("")
  }

  notice(said) {
    let line = this.root.querySelector(":scope > .notice")
    if (!said) { line?.remove(); return }
    if (!line) {
      line = document.createElement("div")
      line.className = "notice"
      line.setAttribute("role", "status")
      this.root.append(line)
    }
    line.textContent = said
  }

  // Sends an event of the page; what concerns the browser alone is done here.
  go(event) {
    if (event.ui) return this.local(event)
    if (this.busy) return
    if (this.reading && event.take?.includes("log")) return this.notice(`${this.reading.name} is still being read; press the key again.`)
    const sent = { ...event }
    delete sent.again
    for (const name of event.take || []) sent[name] = this.field(name)?.value ?? ""
    if (this.file && "log" in sent) { sent.log = ""; sent.bytes = this.file.bytes }
    delete sent.take
    if (event.needs && !String(sent[event.needs] || "").trim()) return this.ask(event)
    delete sent.needs
    if (event.timed) {
      const seen = Number(remembered(`seen ${this.view}`))
      if (seen) sent.seconds = Math.max(0, Math.round((Date.now() - seen) / 100) / 10)
    }
    delete sent.timed
    sent.id = asking()
    this.pending = sent
    this.busy = true
    this.root.setAttribute("aria-busy", "true")
    this.late = setTimeout(() => {
      this.busy = false
      clearInterval(this.again)
      this.root.removeAttribute("aria-busy")
      this.notice("No answer from the panel yet. Is `review-agent dashboard` still running? Reload the page to see what is recorded.")
    }, SLOW)
    // A page that has been left says nothing more: its frame is out of the document.
    this.again = setInterval(() => (this.root.isConnected ? this.send({ ...sent }) : clearInterval(this.again)), AGAIN)
    this.send(sent)
  }

  field(name) {
    const open = this.menu && this.root.querySelector(`[data-menu="${CSS.escape(this.menu)}"] [data-field="${CSS.escape(name)}"]`)
    return open || this.root.querySelector(`[data-field="${CSS.escape(name)}"]`)
  }

  // The event waits for words: the field is shown, and Enter in it sends both.
  ask(event) {
    this.waiting = event
    const field = this.field(event.needs)
    field?.classList.add("asked")
    field?.setAttribute("placeholder", event.asking || "Say what it is, then Enter")
    field?.focus()
  }

  local(event) {
    if (event.ui === "menu") this.openMenu(this.menu === event.menu ? "" : event.menu)
    else if (event.ui === "close") this.openMenu("")
    else if (event.ui === "copy") this.copy(this.root.querySelector("[data-copy]"))
    else if (event.ui === "focus") { const field = this.field(event.field); field?.focus(); field?.select?.() }
    else if (event.ui === "unfold") this.unfold()
    else if (event.ui === "scroll") this.root.querySelector(":scope > .pane-card")?.scrollBy({ top: event.by, behavior: "instant" })
  }

  unfold() {
    const all = [...this.root.querySelectorAll(".pane-card details")]
    const open = all.some((one) => !one.open)
    for (const one of all) one.open = open
  }

  openMenu(name) {
    this.menu = name
    this.waiting = null
    for (const menu of this.root.querySelectorAll("[data-menu]")) menu.toggleAttribute("data-open", menu.dataset.menu === name)
    if (!name) { const at = this.root.getRootNode().activeElement; if (at && at.matches?.("input, textarea")) at.blur() }
  }

  keep({ name, text }) {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }))
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60000)
  }

  async copy(source) {
    if (!source) return
    const text = source.dataset.copy
    try { await navigator.clipboard.writeText(text) } catch {
      const area = document.createElement("textarea")
      area.value = text
      document.body.append(area)
      area.select()
      document.execCommand("copy")
      area.remove()
    }
    source.dataset.was = "copied"
    source.classList.add("copied")
    setTimeout(() => source.classList.remove("copied"), 1600)
  }

  key(event) {
    if (!this.root.isConnected) return
    const target = event.composedPath()[0]
    const typing = target.matches?.("input:not([type=checkbox]), textarea, select")
    if (event.key === "Escape") {
      if (typing || this.menu) { event.preventDefault(); event.stopPropagation() }
      if (typing) target.blur()
      this.openMenu("")
      return
    }
    if (typing) {
      event.stopPropagation() // the letters of a comment are no shortcuts of the page around
      if (event.key === "Enter" && this.waiting && target.matches("[data-field]") && (!target.matches("textarea") || !event.shiftKey)) {
        event.preventDefault()
        this.go(this.waiting)
      }
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const known = this.known(event.key)
    if (known) { event.preventDefault(); event.stopPropagation() }
    else if (/^[a-z]$/i.test(event.key)) event.stopPropagation() // C and R are Streamlit's
    if (!known || (event.repeat && !known.again)) return
    this.press(event.key)
  }

  known(key) {
    const table = this.menu ? this.data.menus[this.menu] || {} : this.data.keys
    return table[key]
  }

  press(key) {
    const event = this.known(key)
    if (!event) return
    if (this.busy) { if (event.again && this.ahead.length < 8) this.ahead.push(key); return }
    this.go(event)
  }

  click(event) {
    const copied = event.target.closest("[data-copy]")
    if (copied) { event.preventDefault(); this.copy(copied); return }
    const target = event.target.closest("[data-do]")
    if (!target || target.tagName === "FORM" || target.hasAttribute("disabled")) return
    if (target.tagName === "A" && (event.ctrlKey || event.metaKey || event.shiftKey)) return
    event.preventDefault()
    this.go(JSON.parse(target.dataset.do))
  }

  change(event) {
    const field = event.target
    if (field.type === "file") { this.read(field); return }
    if (!field.dataset.change) return
    this.go({ ...JSON.parse(field.dataset.change), value: field.type === "checkbox" ? field.checked : field.value })
    if (field.tagName === "SELECT") field.blur()
  }

  // A chosen file is sent byte for byte. The field shows how it begins, and cannot be written in as long as it is chosen.
  async read(field) {
    const file = field.files[0]
    this.file = this.reading = null
    this.notice("")
    const into = this.field(field.name)
    if (into?.readOnly) { into.readOnly = false; into.value = remembered(this.draft(field.name)) ?? "" }
    if (!file) return
    if (file.size > Number(field.max)) {
      field.value = ""
      this.notice(`${file.name} is larger than ${Number(field.max) / 1e6} MB and is not taken. Attach it with \`review-agent decide CARD attach --log FILE\`.`)
      return
    }
    const of = this.view
    this.reading = file
    try {
      const [bytes, begins] = await Promise.all([base64(file), file.slice(0, SHOWN).text()])
      if (of !== this.view || this.reading !== file) return
      this.file = { field: field.name, bytes, begins: file.size > SHOWN ? `${begins}\n…` : begins }
      this.preview()
    } catch { this.notice(`${file.name} cannot be read.`) }
    finally { if (this.reading === file) this.reading = null }
  }

  preview() {
    const into = this.field(this.file.field)
    if (into) { into.value = this.file.begins; into.readOnly = true }
  }

  submit(event) {
    event.preventDefault()
    const form = event.target
    const values = {}
    for (const field of form.querySelectorAll("[name]")) if (field.type !== "file") values[field.name] = field.value
    for (const field of form.querySelectorAll("[data-field]")) remember(this.draft(field.dataset.field), null)
    form.getRootNode().activeElement?.blur()
    this.go({ ...JSON.parse(form.dataset.do), ...values })
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector("#frame")
  let frame = HELD.get(root)
  if (!frame) {
    frame = new Frame(root)
    HELD.set(root, frame)
  }
  frame.leave()
  frame.listen()
  frame.show(data, (event) => setTriggerValue("event", event))
  return () => frame.leave()
}
