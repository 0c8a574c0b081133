"""persistence in JavaScript and Java: the same rules, proven on real commits."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes
from settling import source

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.PERSISTENCE)
SOURCE = "src/main/java/shop"

STORE = """import { Pool } from "pg";

const pool = new Pool();

export async function placeOrder(id, lines) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("INSERT INTO orders (id) VALUES ($1)", [id]);
    for (const line of lines) {
      await insertLine(client, id, line);
    }
    await client.query("COMMIT");
  } catch (err) {
    await client.query("ROLLBACK");
    throw err;
  } finally {
    client.release();
  }
}

export async function insertLine(client, id, line) {
  if (!line.sku) {
    throw new Error("no sku");
  }
  await client.query("INSERT INTO lines (id, sku) VALUES ($1, $2)", [id, line.sku]);
}

export async function findOrder(tenantId, id) {
  const result = await pool.query(
    "SELECT id, total, note FROM orders WHERE id = $1 AND tenant_id = $2",
    [id, tenantId],
  );
  return toOrder(result.rows[0]);
}

export async function dropOrder(tenantId, id) {
  await pool.query("DELETE FROM orders WHERE id = $1 AND tenant_id = $2", [id, tenantId]);
}

function toOrder(row) {
  return { id: row.id, total: row.total, note: row["note"] };
}
"""
API = """import { placeOrder, findOrder, dropOrder } from "./store.js";

export async function post(req, res) {
  await placeOrder(req.body.id, req.body.lines);
  res.status(201).end();
}

export async function get(req, res) {
  const order = await findOrder(req.tenant.id, req.params.id);
  res.json(order);
}

export async function remove(req, res) {
  await dropOrder(req.tenant.id, req.params.id);
  res.status(204).end();
}
"""
JS = {"package.json": '{"name":"shop","type":"module"}\n', "src/store.js": STORE, "src/api.js": API}


def after(before, path, old, new):
    """The changed file, with one place replaced."""
    assert old in before[path]
    return {path: before[path].replace(old, new, 1)}


def test_a_begin_that_went(repo):
    (card,) = cards(
        review(repo, JS, after(JS, "src/store.js", '    await client.query("BEGIN");\n', "")), "transaction_removed"
    )
    assert "`insertLine`" in card.claim


def test_a_commit_statement_that_went(repo):
    (card,) = cards(
        review(repo, JS, after(JS, "src/store.js", '    await client.query("COMMIT");\n', "")), "commit_lost"
    )
    assert "COMMIT" in card.claim


def test_a_helper_that_gets_the_pool(repo):
    change = after(JS, "src/store.js", "insertLine(client, id, line)", "insertLine(pool, id, line)")
    (card,) = cards(review(repo, JS, change), "statement_outside_transaction")
    assert "`pool`" in card.claim


def test_a_condition_on_the_tenant_that_went(repo):
    change = after(JS, "src/store.js", '$1 AND tenant_id = $2",\n    [id, tenantId],', '$1",\n    [id],')
    (card,) = cards(review(repo, JS, change), "condition_lost")
    assert "`req.tenant.id`" in card.claim


def test_a_selected_column_that_is_still_read(repo):
    (card,) = cards(
        review(repo, JS, after(JS, "src/store.js", "id, total, note", "id, total")), "column_gone_still_read"
    )
    assert "`note`" in card.claim


def test_a_transaction_of_the_caller(repo):
    api = API.replace("  await placeOrder", "  await sequelize.transaction();\n  await placeOrder")
    before = {**JS, "src/api.js": api}
    assert not codes(
        review(repo, before, after(before, "src/api.js", "res.json(order)", "res.send(order)")), "transaction_removed"
    )


SERVICE = """package shop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class OrderService {
    private final JdbcTemplate jdbc;
    private final OrderLines lines;
    private final Map<String, Integer> counts = new HashMap<>();

    public OrderService(JdbcTemplate jdbc, OrderLines lines) {
        this.jdbc = jdbc;
        this.lines = lines;
    }

    @Transactional
    public void place(String id, List<String> skus) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
        for (String sku : skus) {
            lines.add(id, sku);
        }
    }

    public synchronized void count(String key) {
        counts.merge(key, 1, Integer::sum);
    }

    public synchronized int total() {
        int sum = 0;
        for (int value : counts.values()) {
            sum += value;
        }
        return sum;
    }

    public void cancel(String tenant, String id) {
        jdbc.update("UPDATE orders SET state = 'cancelled' WHERE id = ? AND tenant_id = ?", id, tenant);
    }

    public int open(String tenant) {
        return jdbc.queryForObject("SELECT count(*) FROM orders WHERE tenant_id = ?", Integer.class, tenant);
    }
}
"""
LINES = """package shop;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

@Repository
public class OrderLines {
    private final JdbcTemplate jdbc;

    public OrderLines(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    public void add(String id, String sku) {
        if (sku.isEmpty()) {
            throw new IllegalArgumentException("no sku");
        }
        jdbc.update("INSERT INTO lines (id, sku) VALUES (?, ?)", id, sku);
    }
}
"""
CONTROLLER = """package shop;

import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class OrderController {
    private final OrderService service;

    public OrderController(OrderService service) {
        this.service = service;
    }

    @PostMapping("/orders")
    public void post(String id, List<String> skus) {
        service.place(id, skus);
        service.count(id);
    }

    @PostMapping("/orders/cancel")
    public void cancel(String tenant, String id) {
        service.cancel(tenant, id);
    }
}
"""
JAVA = {
    f"{SOURCE}/OrderService.java": SERVICE,
    f"{SOURCE}/OrderLines.java": LINES,
    f"{SOURCE}/OrderController.java": CONTROLLER,
}


def test_an_annotation_that_went(repo):
    change = after(JAVA, f"{SOURCE}/OrderService.java", "    @Transactional\n", "")
    (card,) = cards(review(repo, JAVA, change), "transaction_removed")
    assert "`lines.add`" in card.claim


def test_an_annotation_that_the_class_has(repo):
    before = {**JAVA, f"{SOURCE}/OrderService.java": SERVICE.replace("@Service\n", "@Service\n@Transactional\n")}
    change = after(
        before, f"{SOURCE}/OrderService.java", "    @Transactional\n    public void place", "    public void place"
    )
    assert codes(review(repo, before, change), "transaction_removed") == ["refuted"]


def test_an_update_of_every_tenant(repo):
    change = after(JAVA, f"{SOURCE}/OrderService.java", ' AND tenant_id = ?", id, tenant)', '", id)')
    (card,) = cards(review(repo, JAVA, change), "condition_lost")
    assert "`tenant_id = ?`" in card.claim


LEDGER = """package shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

public class Ledger {
    private final DataSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private long total;

    public Ledger(DataSource source) {
        this.source = source;
    }

    public void book(String account, long amount) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bookings VALUES (?, ?)")) {
                insert.setString(1, account);
                insert.setLong(2, amount);
                insert.executeUpdate();
            }
            connection.commit();
        }
    }

    public void close(String account) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement drop = connection.prepareStatement("DELETE FROM bookings WHERE account = ?")) {
                drop.setString(1, account);
                drop.executeUpdate();
            }
            connection.commit();
        }
    }

    public void add(long amount) {
        lock.lock();
        try {
            total += amount;
        } finally {
            lock.unlock();
        }
    }

    public long total() {
        lock.lock();
        try {
            return total;
        } finally {
            lock.unlock();
        }
    }

    public String ask(String question) throws Exception {
        Future<String> answer = pool.submit(() -> question.trim());
        return answer.get(5, TimeUnit.SECONDS);
    }
}
"""
DESK = """package shop;

public class Desk {
    private final Ledger ledger;

    public Desk(Ledger ledger) {
        this.ledger = ledger;
    }

    public String serve(String account, long amount) throws Exception {
        ledger.book(account, amount);
        ledger.add(amount);
        return ledger.ask(account);
    }
}
"""
BANK = {f"{SOURCE}/Ledger.java": LEDGER, f"{SOURCE}/Desk.java": DESK}


def test_a_jdbc_commit_that_went(repo):
    change = after(BANK, f"{SOURCE}/Ledger.java", "            connection.commit();\n", "")
    (card,) = cards(review(repo, BANK, change), "commit_lost")
    assert "`Ledger.close`" in card.claim


REPOSITORY = """package shop;

import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

public interface OrderRepository extends JpaRepository<Order, Long> {
    Optional<Order> findByIdAndTenantId(Long id, String tenantId);

    long countByTenantId(String tenantId);
}
"""
ORDERS = """package shop;

import org.springframework.stereotype.Service;

@Service
public class Orders {
    private final OrderRepository orders;

    public Orders(OrderRepository orders) {
        this.orders = orders;
    }

    public Order find(String tenantId, Long id) {
        return orders.findByIdAndTenantId(id, tenantId).orElseThrow();
    }

    public long count(String tenantId) {
        return orders.countByTenantId(tenantId);
    }

    public Order pay(Long id) {
        Order order = orders.findById(id).orElseThrow();
        order.setStatus("paid");
        orders.save(order);
        return order;
    }
}
"""
ORDERS_CONTROLLER = """package shop;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class OrdersController {
    private final Orders orders;

    public OrdersController(Orders orders) {
        this.orders = orders;
    }

    @GetMapping("/orders/{id}")
    public Order get(Tenant tenant, Long id) {
        return orders.find(tenant.id(), id);
    }

    @GetMapping("/orders/{id}/pay")
    public Order pay(Long id) {
        return orders.pay(id);
    }
}
"""
JPA = {
    f"{SOURCE}/OrderRepository.java": REPOSITORY,
    f"{SOURCE}/Orders.java": ORDERS,
    f"{SOURCE}/OrdersController.java": ORDERS_CONTROLLER,
}


def test_a_repository_method_that_asks_for_less(repo):
    wider = after(JPA, f"{SOURCE}/Orders.java", "findByIdAndTenantId(id, tenantId)", "findById(id)")
    (card,) = cards(review(repo, JPA, wider), "filter_lost")
    assert "`tenant.id()`" in card.claim


def test_a_jpa_save_that_went(repo):
    (card,) = cards(
        review(repo, JPA, after(JPA, f"{SOURCE}/Orders.java", "        orders.save(order);\n", "")), "commit_lost"
    )
    assert "`order.setStatus`" in card.claim


def test_a_jpa_save_that_the_transaction_makes(repo):
    annotated = ORDERS.replace("    public Order pay", "    @Transactional\n    public Order pay")
    before = {**JPA, f"{SOURCE}/Orders.java": annotated}
    change = after(before, f"{SOURCE}/Orders.java", "        orders.save(order);\n", "")
    assert codes(review(repo, before, change), "commit_lost") == ["refuted"]


MOVES = source("""
    import { pool } from "./pool.js";

    async function change(client, account, amount) {
      await client.query("UPDATE accounts SET balance = balance + $2 WHERE id = $1", [account, amount]);
    }

    export async function move(from, to, amount) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await change(client, from, -amount);
        await change(client, to, amount);
        const { rows } = await client.query("SELECT balance FROM accounts WHERE id = $1", [from]);
        if (rows[0].balance < 0) throw new Error("too little");
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    }
""")
POOL = 'import pg from "pg";\n\nexport const pool = new pg.Pool();\n'


def test_a_helper_that_no_longer_gets_the_connection(repo):
    after = MOVES.replace("change(client, ", "change(").replace('  await client.query("UPD', '  await pool.query("UPD')
    files = {"package.json": '{"type":"module"}\n', "src/pool.js": POOL, "src/moves.js": MOVES}
    (card,) = cards(review(repo, files, {"src/moves.js": after}), "statement_outside_transaction")
    assert "`move` calls `change` inside its transaction" in card.claim
    assert "ROLLBACK" in card.claim


def test_a_helper_that_no_longer_gets_a_connection_without_a_transaction(repo):
    plain = MOVES.replace('        await client.query("BEGIN");\n', "").replace(
        '    await client.query("BEGIN");\n', ""
    )
    after = plain.replace("change(client, ", "change(").replace('  await client.query("UPD', '  await pool.query("UPD')
    files = {"package.json": '{"type":"module"}\n', "src/pool.js": POOL, "src/moves.js": plain}
    assert cards(review(repo, files, {"src/moves.js": after}), "statement_outside_transaction") == []


PLACES = """    @Transactional
    public void place(String id, List<String> skus) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
        for (String sku : skus) {
            lines.add(id, sku);
        }
    }
"""
HELPED = """    public void place(String id, List<String> skus) {
        put(id, skus);
    }

    private void put(String id, List<String> skus) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
        jdbc.update("UPDATE totals SET open = open + 1");
    }
"""


def test_writes_that_moved_into_a_helper_without_the_transaction(repo):
    change = after(JAVA, f"{SOURCE}/OrderService.java", PLACES, HELPED)
    (card,) = cards(review(repo, JAVA, change), "transaction_removed")
    assert "in `put` separate" in card.claim


def test_one_write_that_moved_into_a_helper_without_the_transaction(repo):
    one = HELPED.replace('        jdbc.update("UPDATE totals SET open = open + 1");\n', "")
    change = after(JAVA, f"{SOURCE}/OrderService.java", PLACES, one)
    assert cards(review(repo, JAVA, change), "transaction_removed") == []
