tools='gradle java'
version() { gradle --version 2>/dev/null | sed -n 's/^Gradle //p'; }
environment() {
  local part
  # Gradle before 7 on a newer Java; and Java looks for the cgroups of the machine, which a room does not show.
  for part in java.lang java.util java.lang.invoke java.nio.charset java.net java.util.concurrent.atomic; do
    GRADLE_OPTS="$GRADLE_OPTS --add-opens=java.base/$part=ALL-UNNAMED"
  done
  export GRADLE_OPTS="$GRADLE_OPTS --add-opens=java.prefs/java.util.prefs=ALL-UNNAMED -Dorg.gradle.daemon=false -XX:-UseContainerSupport"
}
sample() {
  printf 'build/\n.gradle/\n' > .gitignore
  echo "rootProject.name = 'numbers'" > settings.gradle
  local repository='mavenCentral()'
  if [ -n "${MAVEN_MIRROR:-}" ]; then repository="maven { url '$MAVEN_MIRROR' }"; fi
  cat > build.gradle <<GRADLE
apply plugin: 'java'
repositories { $repository }
dependencies { testCompile 'junit:junit:4.13.2' }
GRADLE
  case $(gradle --version 2>/dev/null | sed -n 's/^Gradle //p') in [1-6].*) ;; *) sed -i s/testCompile/testImplementation/ build.gradle ;; esac
  mkdir -p src/main/java src/test/java
  echo 'public class Base { public static int one() { return 1; } }' > src/main/java/Base.java
  echo 'import static org.junit.Assert.*; import org.junit.Test; public class BaseTest { @Test public void one() { assertEquals(1, Base.one()); } }' > src/test/java/BaseTest.java
}
tests() {
  echo 'import static org.junit.Assert.*; import org.junit.Test; public class TwiceTest { @Test public void twice() { assertEquals(4, Twice.of(2)); } }' > src/test/java/TwiceTest.java
}
code() { echo 'public class Twice { public static int of(int n) { return 2 * n; } }' > src/main/java/Twice.java; }
