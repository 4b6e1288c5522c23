//! JUnit through Maven, with the repository that Debian's packages bring.

use std::path::Path;

use baton_testkit::Sandbox;

use super::equipment::{tools, without};
use super::framework::{Bodies, Broken, Crash, Failure, Framework, Missing, Retries, Then};

const REPOSITORY: &str = "/usr/share/maven-repo";

fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
    tools(sandbox, &["java", "javac", "mvn", "expr", "readlink"])?;
    let surefire = Path::new(REPOSITORY).join("org/apache/maven/plugins/maven-surefire-plugin");
    if !surefire.exists() {
        return Err("Debian's package libsurefire-java".to_owned());
    }
    Ok(())
}

const MAVEN: Framework = Framework {
    language: "java",
    asked: None,
    command: "mvn test",
    build: None,
    equip,
    files: &[
        (
            ".mvn/maven.config",
            "--offline\n-Dmaven.repo.local=/usr/share/maven-repo\n",
        ),
        (
            "pom.xml",
            r#"
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>ledger</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.x</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.10.1</version>
      </plugin>
      <plugin>
        <artifactId>maven-resources-plugin</artifactId>
        <version>3.3.0</version>
      </plugin>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>2.22.3</version>
      </plugin>
    </plugins>
  </build>
</project>
"#,
        ),
        (
            "src/main/java/ledger/Ledger.java",
            r"
package ledger;

public class Ledger {
    public static int total(int... amounts) {
        return java.util.Arrays.stream(amounts).sum();
    }
}
",
        ),
        (
            "src/test/java/ledger/Note.java",
            r#"
package ledger;

import java.nio.file.*;

class Note {
    static void note(String name) throws Exception {
        Files.writeString(Path.of("@LOG@"), name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
"#,
        ),
        (
            "src/test/java/ledger/SumsTest.java",
            r#"
package ledger;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SumsTest {
    @Test
    public void adds() throws Exception {
        Note.note("adds");
        assertEquals(3, Ledger.total(1, 2));
    }

    @Test
    public void empty() throws Exception {
        Note.note("empty");
        assertEquals(0, Ledger.total());
    }
}
"#,
        ),
        (
            "src/test/java/ledger/RatesTest.java",
            r#"
package ledger;

import static org.junit.Assert.*;

import java.nio.file.*;
import org.junit.Test;

public class RatesTest {
    @Test
    public void rounds() throws Exception {
        Note.note("rounds");
        @ROUNDS@
    }

    @Test
    public void converts() throws Exception {
        Note.note("converts");
        @CONVERTS@
    }
}
"#,
        ),
    ],
    bodies: Bodies {
        wrong: "assertEquals(4, Ledger.total(1, 2));",
        error: "throw new IllegalStateException(\"no rate for tin\");",
        flaky: "boolean seen = Files.exists(Path.of(\"@MARKER@\"));\nFiles.writeString(Path.of(\"@MARKER@\"), \"\");\nassertTrue(seen);",
        hangs: "new ProcessBuilder(\"sh\", \"linger.sh\").start();\nThread.sleep(300_000);",
        crash: "Runtime.getRuntime().halt(7);",
    },
    failures: [
        Failure {
            name: "ledger.RatesTest.rounds",
            file: "src/test/java/ledger/RatesTest.java",
            error: "expected:<4> but was:<3>",
        },
        Failure {
            name: "ledger.RatesTest.converts",
            file: "src/test/java/ledger/RatesTest.java",
            error: "no rate for tin",
        },
    ],
    retries: Retries::OnlyWhatFailed,
    broken: Broken {
        file: "src/main/java/ledger/Ledger.java",
        content: "package ledger;\n\npublic class Ledger {\n    public static int total() {\n        return \"three\";\n    }\n}\n",
        error: "build_failure",
        told: "incompatible types",
    },
    missing: Missing {
        arrange: |sandbox| without(sandbox, "mvn"),
        then: Then::Reports("mvn test"),
    },
    crash: Crash {
        told: "The forked VM terminated without properly saying goodbye",
    },
    seconds_to_start: 15,
};

all_cases!(MAVEN);
