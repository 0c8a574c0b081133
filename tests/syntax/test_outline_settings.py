import pytest
from outlined import go, pick, python


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('os.getenv("A")', ("A", "environment", None, False)),
        ('os.getenv("A", "x")', ("A", "environment", '"x"', False)),
        ('int(os.getenv("A") or 3)', ("A", "environment", "3", False)),
        ('environ.get("A", default=B)', ("A", "environment", "B", False)),
        ('os.environ["A"]', ("A", "environment", None, True)),
        ('if "A" in os.environ: x = os.environ["A"]', ("A", "environment", None, False)),
        ('try: os.environ["A"]\nexcept KeyError: pass', ("A", "environment", None, False)),
        ('x = os.environ.get("A")\nif not x:\n  raise E', ("A", "environment", None, True)),
        ('x = os.environ.get("A")\nif x is None:\n  sys.exit(1)', ("A", "environment", None, True)),
        ('x = os.environ.get("A")\nif x is None:\n  x = "d"', ("A", "environment", '"d"', False)),
        ('KEY = "A"\nos.getenv(KEY)', ("A", "environment", None, False)),
        ('env.int("A", 3)', ("A", "environment", "3", False)),
        ('env("A")', ("A", "environment", None, True)),
        ('parser.add_argument("-n", "--name", default=3)', ("--name", "flag", "3", False)),
        ('parser.add_argument("--name", required=True)', ("--name", "flag", None, True)),
        ('parser.add_argument("path")', ("path", "flag", None, True)),
        ('@click.option("--on/--off", default=False)\ndef f(on): ...', ("--on", "flag", "False", False)),
        ('def f(n: int = typer.Option(3, "--n")): ...', ("--n", "flag", "3", False)),
        ('def f(n: int = typer.Option(..., "--n")): ...', ("--n", "flag", None, False)),
        ('app.config.get("a", 3)', ("a", "lookup", "3", False)),
        ('settings["a"]', ("a", "lookup", None, True)),
        ('getattr(settings, "A", None)', ("A", "lookup", "None", False)),
        ('config.getint("section", "a", fallback=3)', ("a", "lookup", "3", False)),
    ],
)
def test_python_settings(text, expected):
    found = python(f"import os\nfrom os import environ\n{text}\n").settings
    assert pick(found, "key", "carrier", "fallback", "required") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        'os.environ["A"] = "x"',
        "os.getenv(name)",
        'def app(environ):\n    environ["PATH_INFO"]',
        'd.get("a", 3)',
        'd["a"]',
    ],
)
def test_what_is_no_python_setting(text):
    assert python(f"import os\n{text}\n").settings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x := os.Getenv("A")', ("A", "environment", None, False)),
        ('x := os.Getenv("A")\nif x == "" { x = "d" }', ("A", "environment", '"d"', False)),
        ('if x := os.Getenv("A"); x == "" { log.Fatal("no A") }', ("A", "environment", None, True)),
        ('x, ok := os.LookupEnv("A")\nif !ok { return errors.New("no A") }', ("A", "environment", None, True)),
        ('x := getEnv("A", "d")', ("A", "environment", '"d"', False)),
        ("x := os.Getenv(keyName)", ("K", "environment", None, False)),
        ('x := flag.Int("n", 3, "usage")', ("n", "flag", "3", False)),
        ('flag.StringVar(&x, "n", "d", "usage")', ("n", "flag", '"d"', False)),
        ('cmd.Flags().DurationVarP(&x, "n", "s", time.Second, "usage")', ("n", "flag", "time.Second", False)),
        ('cmd.Flags().String("n", "", "")\ncmd.MarkFlagRequired("n")', ("n", "flag", '""', True)),
        ('x := viper.GetString("a.b")', ("a.b", "lookup", None, False)),
        ('viper.SetDefault("a", 3)', ("a", "lookup", "3", False)),
    ],
)
def test_go_settings(text, expected):
    found = go(f'const keyName = "K"\nfunc s() error {{\n{text}\nreturn nil\n}}\n').settings
    assert pick(found, "key", "carrier", "fallback", "required") == [expected]


def test_go_struct_tags():
    outline = go(
        """
        type Config struct {
            Port int `env:"PORT,required" json:"port,omitempty" envDefault:"80"`
            Name string `yaml:"name" validate:"required"`
            Skip string `json:"-"`
            Same string `json:",omitempty"`
            None string
        }
        """
    )
    assert pick(outline.settings, "key", "carrier", "fallback", "required", "start", "scope") == [
        ("PORT", "tag", "80", True, 3, "Config"),
        ("port", "tag", "80", False, 3, "Config"),
        ("name", "tag", None, True, 4, "Config"),
    ]
