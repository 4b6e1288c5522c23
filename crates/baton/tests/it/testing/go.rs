use baton_testkit::Sandbox;

use super::equipment::{lasting_folder, tools};
use super::framework::{Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then};

fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
    tools(sandbox, &["go", "gcc", "as", "ld"])?;
    // The race detector needs the standard library compiled again.
    sandbox.set("GOCACHE", lasting_folder("go-cache"));
    sandbox.set("GOPROXY", "off");
    sandbox.set("GOTOOLCHAIN", "local");
    Ok(())
}

pub(super) const GO: Framework = Framework {
    language: "go",
    asked: None,
    command: "go test -race ./...",
    build: None,
    equip,
    files: &[
        ("go.mod", "module example.com/ledger\n\ngo 1.19\n"),
        (
            "ledger.go",
            r"
package ledger

func Total(amounts ...int) int {
	sum := 0
	for _, amount := range amounts {
		sum += amount
	}
	return sum
}
",
        ),
        (
            "note_test.go",
            r#"
package ledger

import "os"

func note(name string) {
	log, err := os.OpenFile("@LOG@", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer log.Close()
	log.WriteString(name + "\n")
}
"#,
        ),
        (
            "sums_test.go",
            r#"
package ledger

import "testing"

func TestAdds(t *testing.T) {
	note("adds")
	if got := Total(1, 2); got != 3 {
		t.Errorf("total is %d", got)
	}
}

func TestEmpty(t *testing.T) {
	note("empty")
	if got := Total(); got != 0 {
		t.Errorf("total is %d", got)
	}
}
"#,
        ),
        (
            "rates_test.go",
            r#"
package ledger

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

var _ = []any{os.Exit, exec.Command, time.Sleep}

func TestRounds(t *testing.T) {
	note("rounds")
	@ROUNDS@
}

func TestConverts(t *testing.T) {
	note("converts")
	@CONVERTS@
}
"#,
        ),
    ],
    bodies: Bodies {
        wrong: "if got := Total(1, 2); got != 4 {\n\tt.Errorf(\"total is %d, not 4\", got)\n}",
        error: "t.Fatal(\"no rate for tin\")",
        flaky: "_, err := os.Stat(\"@MARKER@\")\nos.WriteFile(\"@MARKER@\", nil, 0o644)\nif err != nil {\n\tt.Fatal(err)\n}",
        hangs: "exec.Command(\"sh\", \"linger.sh\").Start()\ntime.Sleep(300 * time.Second)",
        crash: "os.Exit(7)",
    },
    failures: [
        Failure {
            name: "TestRounds",
            file: "rates_test.go",
            error: "total is 3, not 4",
        },
        Failure {
            name: "TestConverts",
            file: "rates_test.go",
            error: "no rate for tin",
        },
    ],
    retries: Retries::OnlyWhatFailed,
    broken: Broken {
        file: "ledger.go",
        content: "package ledger\n\nfunc Total(amounts ...int) int {\n\treturn \"three\"\n}\n",
        error: "build_failure",
        told: "./ledger.go:4:9: cannot use \"three\"",
    },
    missing: Missing {
        // The race detector is part of a C library.
        arrange: |sandbox| sandbox.set("CGO_ENABLED", "0"),
        then: Then::FallsBackTo("go test ./..."),
    },
    crash: Crash {
        told: "=== RUN   TestRounds",
    },
    seconds_to_start: 8,
};

all_cases!(GO);
