use baton_testkit::Sandbox;

use super::equipment::tools;

const LEDGER: &str = r#"
def note(name)
  File.write("@LOG@", name + "\n", mode: "a")
end

def total(amounts)
  amounts.sum
end
"#;

pub(super) mod rspec {
    use super::super::equipment::tools;
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::LEDGER;

    pub(in crate::testing) const RSPEC: Framework = Framework {
        language: "ruby",
        asked: Some("rspec"),
        command: "rspec",
        build: None,
        equip: |sandbox| tools(sandbox, &["ruby", "rspec", "rake"]),
        files: &[
            ("Gemfile", "gem 'rspec'\n"),
            (".rspec", "-I lib\n"),
            (
                "Rakefile",
                "require 'rspec/core/rake_task'\nRSpec::Core::RakeTask.new(:test)\n",
            ),
            ("lib/ledger.rb", LEDGER),
            (
                "spec/sums_spec.rb",
                r#"
require "ledger"

RSpec.describe "sums" do
  it "adds" do
    note("adds")
    expect(total([1, 2])).to eq(3)
  end

  it "empty" do
    note("empty")
    expect(total([])).to eq(0)
  end
end
"#,
            ),
            (
                "spec/rates_spec.rb",
                r#"
require "ledger"

RSpec.describe "rates" do
  it "rounds" do
    note("rounds")
    @ROUNDS@
  end

  context "of metals" do
    it "converts" do
      note("converts")
      @CONVERTS@
    end
  end
end
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "expect(total([1, 2])).to eq(4)",
            error: "raise ArgumentError, 'no rate for tin'",
            flaky: "seen = File.exist?('@MARKER@')\nFile.write('@MARKER@', '')\nexpect(seen).to be(true)",
            hangs: "spawn('sh', 'linger.sh')\nsleep 300",
            crash: "Process.kill(:ABRT, Process.pid)\nsleep 300",
        },
        failures: [
            Failure {
                name: "rates rounds",
                file: "spec/rates_spec.rb",
                error: "expected: 4",
            },
            Failure {
                name: "rates of metals converts",
                file: "spec/rates_spec.rb",
                error: "no rate for tin",
            },
        ],
        retries: Retries::OnlyWhatFailed,
        broken: Broken {
            file: "spec/rates_spec.rb",
            content: "RSpec.describe \"rates\" do\n  it \"rounds\" do |\nend\n",
            error: "test_failure",
            told: "SyntaxError",
        },
        missing: Missing {
            // There is no Bundler in the sandbox in the first place.
            arrange: |_| {},
            then: Then::FallsBackTo("rake test"),
        },
        crash: Crash { told: "Aborted" },
        seconds_to_start: 3,
    };

    all_cases!(RSPEC);
}

pub(super) mod minitest {
    use super::super::equipment::without;
    use super::super::framework::{
        Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then,
    };
    use super::{LEDGER, equip};

    pub(in crate::testing) const MINITEST: Framework = Framework {
        language: "ruby",
        asked: Some("rake test"),
        command: "rake test",
        build: None,
        equip,
        files: &[
            ("Gemfile", "gem 'minitest'\n"),
            (
                "Rakefile",
                "require 'rake/testtask'\nRake::TestTask.new { |task| task.pattern = 'test/test_*.rb' }\n",
            ),
            ("lib/ledger.rb", LEDGER),
            (
                "test/test_sums.rb",
                r#"
require "minitest/autorun"
require "ledger"

class TestSums < Minitest::Test
  def test_adds
    note("adds")
    assert_equal 3, total([1, 2])
  end

  def test_empty
    note("empty")
    assert_equal 0, total([])
  end
end
"#,
            ),
            (
                "test/test_rates.rb",
                r#"
require "minitest/autorun"
require "ledger"

class TestRates < Minitest::Test
  def test_rounds
    note("rounds")
    @ROUNDS@
  end

  def test_converts
    note("converts")
    @CONVERTS@
  end
end
"#,
            ),
        ],
        bodies: Bodies {
            wrong: "assert_equal 4, total([1, 2])",
            error: "raise ArgumentError, 'no rate for tin'",
            flaky: "seen = File.exist?('@MARKER@')\nFile.write('@MARKER@', '')\nassert seen",
            hangs: "spawn('sh', 'linger.sh')\nsleep 300",
            crash: "exit!(7)",
        },
        failures: [
            Failure {
                name: "TestRates#test_rounds",
                file: "test/test_rates.rb",
                error: "Expected: 4",
            },
            Failure {
                name: "TestRates#test_converts",
                file: "test/test_rates.rb",
                error: "no rate for tin",
            },
        ],
        retries: Retries::Everything,
        broken: Broken {
            file: "test/test_rates.rb",
            content: "class TestRates <\n",
            error: "test_failure",
            told: "syntax error",
        },
        missing: Missing {
            arrange: |sandbox| without(sandbox, "rake"),
            then: Then::Reports("rake test"),
        },
        crash: Crash {
            told: "Command failed with status (7)",
        },
        seconds_to_start: 4,
    };

    all_cases!(MINITEST);
}

fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
    tools(sandbox, &["ruby", "rake"])
}
