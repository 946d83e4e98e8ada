# A reactor of two modules, one of which needs the other.
tools='mvn java'
version() { mvn -v | sed 's/\x1b\[[0-9;]*m//g' | head -1 | cut -d' ' -f3; }
pom() {
  cat <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  $1
  <properties>
    <maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  $2
</project>
XML
}
sample() {
  local junit='<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>'
  local parent='<parent><groupId>org.example</groupId><artifactId>numbers</artifactId><version>1</version></parent>'
  printf 'target/\n' > .gitignore
  mkdir -p base/src/main/java base/src/test/java app/src/main/java app/src/test/java
  pom '<groupId>org.example</groupId><artifactId>numbers</artifactId><version>1</version><packaging>pom</packaging>' \
    "<modules><module>base</module><module>app</module></modules><dependencies>$junit</dependencies>" > pom.xml
  pom "$parent<artifactId>base</artifactId>" '' > base/pom.xml
  pom "$parent<artifactId>app</artifactId>" \
    '<dependencies><dependency><groupId>org.example</groupId><artifactId>base</artifactId><version>1</version></dependency></dependencies>' > app/pom.xml
  echo 'public class Base { public static int one() { return 1; } }' > base/src/main/java/Base.java
  echo 'public class App { public static int two() { return Base.one() + Base.one(); } }' > app/src/main/java/App.java
  local begin='import static org.junit.Assert.*; import org.junit.Test;'
  echo "$begin public class BaseTest { @Test public void one() { assertEquals(1, Base.one()); } }" > base/src/test/java/BaseTest.java
  echo "$begin public class AppTest { @Test public void two() { assertEquals(2, App.two()); } }" > app/src/test/java/AppTest.java
  if [ -n "${MAVEN_MIRROR:-}" ]; then
    # What is in a home may hold keys, so that no room shows it.
    mkdir .mvn
    printf -- '-s\n.mvn/settings.xml\n' > .mvn/maven.config
    echo "<settings><mirrors><mirror><id>mirror</id><mirrorOf>*</mirrorOf><url>$MAVEN_MIRROR</url></mirror></mirrors></settings>" > .mvn/settings.xml
  fi
}
tests() {
  echo 'import static org.junit.Assert.*; import org.junit.Test; public class TwiceTest { @Test public void twice() { assertEquals(4, Twice.of(2)); } }' > app/src/test/java/TwiceTest.java
}
code() { echo 'public class Twice { public static int of(int n) { return 2 * n; } }' > app/src/main/java/Twice.java; }
