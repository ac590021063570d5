// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reports
import Runs
import Testing

/// Every text that a stored run holds may be text of others, and no format takes any of it for its own.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct HostileTextTests {
    @Test(arguments: HostileText.all) func noTextOfARunIsTakenForMarkup(text: String) throws {
        let run = try PoisonedRun.shared.run(beginningWith: text)
        // A run of one size has no slopes, and no answer where names are others than those of the four cases; what commands
        // hold is drawn in tests of its own.
        for format in Formats.ofRuns where !["slopes", "slopes-svg", "answer-svg", "commands"].contains(format.name) {
            let drawn = try format.text(of: Report(run))
            HostileText.expectHarmless(drawn, in: format.name)
            switch format.name {
            case "csv", "summary": try FormatReader.expectTable(drawn)
            case "json": try FormatReader.expectJSON(drawn)
            case "markdown": HostileText.expectWholeTables(drawn)
            case "html":
                #expect(drawn.matches(of: /<script/.ignoresCase()).count == 1 && !drawn.contains("<img"))
            default: break
            }
        }
    }

    /// Otherwise the test above would be none.
    @Test func namesAndWordsOfOthersAreAmongTheTexts() throws {
        let paths = try PoisonedRun.shared.paths
        for path in [".plan.assets.name", ".trials.case.mode", ".trials.outcome.detail", ".tool", ".warnings.text"] {
            #expect(paths.contains(path), "\(paths.sorted())")
        }
    }

    @Test(arguments: [
        ("::error::x", "\\u{3a}:error::x"), ("a\n \t::x", "a\n \t\\u{3a}:x"), ("a ::b\n:c:", "a ::b\n:c:"),
        ("\u{A0}::x\r::y", "\u{A0}\\u{3a}:x\r\\u{3a}:y"), (":::", "\\u{3a}::"), ("", ""), (": :", ": :"),
    ])
    func aLineThatBeginsWithTwoColonsIsNoCommand(text: String, shown: String) {
        #expect(SafeText.withoutCommands(text) == shown)
        #expect(SafeText.withoutCommands(shown) == shown)
        #expect(SafeText.withoutCommands("::x", isAtLineStart: false) == "::x")
    }

    @Test func anOlderCommandIsNoneAnywhere() {
        #expect(SafeText.forTerminal("a ##[error]b ###[x") == "a ##\\u{5b}error]b ###\\u{5b}x")
        #expect(SafeText.forTerminal("#[x ##x[ a[0]") == "#[x ##x[ a[0]")
        #expect(JSONText.harmless("\"##[x\"") == "\"##\\u005bx\"")
    }
}

struct RedactedURLTests {
    @Test(arguments: [
        ("https://user:password@example.org/a.jpg", "https://REDACTED@example.org/a.jpg"),
        ("https://user@example.org/a.jpg", "https://REDACTED@example.org/a.jpg"),
        ("https://:password@example.org/", "https://REDACTED@example.org/"),
        ("https://example.org/a?token=s3cret", "https://example.org/a?token=REDACTED"),
        ("https://example.org/a?w=1&X-Amz-Signature=abc&h=2", "https://example.org/a?w=1&X-Amz-Signature=REDACTED&h=2"),
        ("https://example.org/a?X-Amz-Credential=AKIA%2Fx", "https://example.org/a?X-Amz-Credential=REDACTED"),
        ("https://example.org/a?apiKey=k", "https://example.org/a?apiKey=REDACTED"),
        ("https://example.org/a?api_key=k&APIKEY=k", "https://example.org/a?api_key=REDACTED&APIKEY=REDACTED"),
        (
            "https://example.org/a?TOKEN=k&X-AMZ-SIGNATURE=k",
            "https://example.org/a?TOKEN=REDACTED&X-AMZ-SIGNATURE=REDACTED"
        ),
        ("https://example.org/a?AWSAccessKeyId=k", "https://example.org/a?AWSAccessKeyId=REDACTED"),
        ("https://example.org/a?accesstoken=k", "https://example.org/a?accesstoken=REDACTED"),
        ("https://example.org/a?to%6Ben=k", "https://example.org/a?to%6Ben=REDACTED"),
        ("https://example.org/a?sig=k&key=v", "https://example.org/a?sig=REDACTED&key=REDACTED"),
        ("https://example.org/a#access_token=abc", "https://example.org/a"),
    ])
    func credentialsInURLsAreRedacted(url: String, redacted: String) {
        #expect(RedactedURL.text(of: url) == redacted)
    }

    @Test(arguments: [
        "http://127.0.0.1:8080/bytes/64MiB?seed=7&rate=60MiB", "https://example.org/a%20b.jpg?width=100&q=80",
        "http://[::1]:80/hero.jpg", "https://example.org/?monkey=1&keyboard=us&design=2&signal=3",
        "https://example.org",
        "https://example.org/a?token",
    ])
    func harmlessURLsStayAsTheyAre(url: String) {
        #expect(RedactedURL.text(of: url) == url)
    }

    @Test func unparsableValuesAreNotRepeated() {
        #expect(RedactedURL.text(of: "http://user:secret@[bad") == "unparsable URL")
    }

    @Test func redactingTwiceChangesNothing() {
        let once = RedactedURL.text(of: "https://user:pw@example.org/a?token=b")
        #expect(RedactedURL.text(of: once) == once)
    }

    @Test(arguments: [
        "https://me:hunter2@example.org/a?token=s3cret&seed=7", "https://me:hunter2@example.org/?apiKey=s3cret#f",
    ])
    func aTextThatQuotesTheURLLosesItsSecrets(url: String) {
        let text = RedactedURL.text("cannot fetch \(url): hunter2 was refused, s3cret too (7 tries)", without: url)
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("s3cret"))
        #expect(text.hasSuffix("(7 tries)"))
    }

    /// A short name is a word of other texts: codes and this project's own words stay.
    @Test(arguments: ["con", "data", "user"]) func aShortNameIsNoSecretBesideAPassword(user: String) {
        let said = "connection_refused: the URL holds a user or a password; data"
        #expect(RedactedURL.text(said, without: "http://\(user):pl4nted@example.org/") == said)
        #expect(RedactedURL.text("for pl4nted", without: "http://\(user):pl4nted@example.org/") == "for REDACTED")
    }

    @Test func secretsAreFoundEncodedAndDecoded() {
        let url = "https://a%40b.org:p%2Fw%2Fd@example.org/?token=x%2By%2Bz#access_token=frag"
        let text = RedactedURL.text("\(url) a@b.org p/w/d x+y+z frag", without: url)
        #expect(
            text == "https://REDACTED:REDACTED@example.org/?token=REDACTED#REDACTED REDACTED REDACTED REDACTED frag")
    }
}

struct RedactedOptionTests {
    @Test(arguments: [
        ("/home/me/tool", "~/tool"), ("-I/home/me/include", "-I~/include"), ("file:///home/me", "file://~"),
        ("a=/home/me:/home/me/b", "a=~:~/b"), ("/home/merle/x", "/home/merle/x"), ("/home/me.old", "/home/me.old"),
        ("/backup/home/me/x", "/backup/home/me/x"), ("'/home/me'", "'~'"),
    ])
    func foldersAreReplacedAtTheBordersOfComponents(text: String, safe: String) {
        #expect(RedactedCommand(folders: ["/home/me": "~"]).text(text) == safe)
    }

    private static let redaction = RedactedCommand(folders: ["/home/me": "~"])

    /// A combining accent makes one character of itself and the colon, the hyphen or the equals sign before it.
    @Test(arguments: [
        "Cookie:\u{301}s3cret", "API_TOKEN=\u{301}s3cret", "-\u{301} --\u{301} bearer abcdefghijklmnop3cret",
    ])
    func anAccentHidesNoSecret(text: String) {
        #expect(!Self.redaction.text("x '\(text)'").contains("3cret"), "\(text)")
    }

    @Test(arguments: [
        ("curl -u me:hunter2 {url}", "curl -u REDACTED {url}"), ("curl -ume:hunter2 {url}", "curl -uREDACTED {url}"),
        ("curl --user=me:hunter2 {url}", "curl --user=REDACTED {url}"),
        ("curl --user 'me:hun ter' {url}", "curl --user REDACTED {url}"),
        ("curl --proxy-user me:hunter2 {url}", "curl --proxy-user REDACTED {url}"),
        ("curl --oauth2-bearer hunter2 {url}", "curl --oauth2-bearer REDACTED {url}"),
        ("curl -b session=hunter2 {url}", "curl -b REDACTED {url}"),
        ("curl -E cert.pem:hunter2 {url}", "curl -E REDACTED {url}"),
        ("wget --http-password=hunter2 {url}", "wget --http-password=REDACTED {url}"),
        ("tool --api-key \"hunter2\" {url}", "tool --api-key REDACTED {url}"),
        ("sh -c 'curl --token hunter2 {url}'", "sh -c 'curl --token REDACTED {url}'"),
        ("tool --access-key hunter2 {url}", "tool --access-key REDACTED {url}"),
        ("tool --private-key=hunter2 {url}", "tool --private-key=REDACTED {url}"),
        ("GITHUB_TOKEN=hunter2 tool {url}", "GITHUB_TOKEN=REDACTED tool {url}"),
        ("PGPASSWORD='hun ter' tool {url}", "PGPASSWORD=REDACTED tool {url}"),
        ("env AWS_SECRET_ACCESS_KEY=hun/t+er2= tool {url}", "env AWS_SECRET_ACCESS_KEY=REDACTED tool {url}"),
        ("export API_KEY=\"hunter2\" && tool {url}", "export API_KEY=REDACTED && tool {url}"),
        ("sh -c 'npm_auth=hunter2 tool {url}'", "sh -c 'npm_auth=REDACTED tool {url}'"),
        ("true &&APIKEY=hunter2 tool {url}", "true &&APIKEY=REDACTED tool {url}"),
        ("docker run --env=DB_PASS=hunter2 tool {url}", "docker run --env=DB_PASS=REDACTED tool {url}"),
        (
            "curl -d '{\"user\": 1, \"password\": \"hun\\\"ter\"}' {url}",
            "curl -d '{\"user\": 1, \"password\": \"REDACTED\"}' {url}"
        ),
        (
            #"curl -d "{\"client_secret\":\"hunter2\",\"a\":1}" {url}"#,
            #"curl -d "{\"client_secret\":\"REDACTED\",\"a\":1}" {url}"#
        ),
    ])
    func theValueOfAnOptionThatIsASecretIsTakenOut(command: String, redacted: String) throws {
        #expect(Self.redaction.text(command) == redacted)
        #expect(Self.redaction.text(redacted) == redacted)
        #expect(try Self.redaction.command(ExternalCommand(parsing: "c=" + command)).isRedacted == true)
    }

    @Test(arguments: [
        "curl -s -o {file} {url}", "curl --user-agent me {url}", "sort -u {file}", "python3 -u fetch.py {url}",
        "env -u PATH tool {url}", "grep -b word {file}", "curl -u {url}", "tool --authors all {url}",
        "PWD=/tmp OLDPWD=/var tool {url}", "TOKENIZERS_PARALLELISM=false tool {url}", "GIT_AUTHOR_NAME=me tool {url}",
        "GITHUB_TOKEN=$MINE tool {url}", "sort KEYS=1 {file}", "curl -d '{\"name\": \"me\"}' {url}",
    ])
    func harmlessCommandsAreKept(command: String) {
        #expect(Self.redaction.text(command) == command)
    }

    @Test func secretsAreRedactedFromTheOutputOfACommand() throws {
        let command = try ExternalCommand(
            parsing: "c=curl -H 'Authorization: Bearer hunter2' --pass hunter3 {url} -o /home/me/x")
        let said = "curl: (22) Bearer hunter2 was refused, hunter3 too; see /home/me/x and Authorization: hunter4"
        let safe = Self.redaction.text(said, of: command)
        #expect(!safe.contains("hunter") && !safe.contains("/home/me"), "\(safe)")
        #expect(safe.hasPrefix("curl: (22)"))
    }
}

struct PlantedSecretTests {
    private static let redaction = RedactedCommand(folders: [:])
    private static let secrets = [
        "Pl4nted", "KEY:Pl4nted", "Pl4nted:more/of+it==", "a:b:c:Pl4nted", "a%2FPl4nted%3A", "Pl4nted@x",
        "12:30:Pl4nted",
    ]
    /// Where `SECRET` stands for it.
    static let shapes = [
        "-H 'Authorization: AWS SECRET'", "-H \"Authorization: AWS SECRET\"", "-H Authorization:SECRET",
        "-H Authorization:'Bearer SECRET'", "-H 'X-Api-Key:SECRET'", "-HX-Auth-Token:SECRET",
        "--header='Cookie: a=SECRET'",
        "-H 'Authorization: Digest username=\"me\", response=\"SECRET\"'",
        "-H \"Authorization: Digest username=\\\"me\\\", response=\\\"SECRET\\\"\"",
        "sh -c 'curl -H \"Authorization: Basic SECRET\" x'",
        "sh -c \"curl -H \\\"Proxy-Authorization: Basic SECRET\\\" x\"",
        "--password=SECRET", "--password SECRET", "--password 'SECRET'", "-u me:SECRET", "-ume:SECRET",
        "--user me:SECRET",
        "--token SECRET", "--api-key=SECRET", "TOKEN=SECRET", "-e TOKEN=SECRET", "-eDB_PASSWORD=SECRET",
        "--env=AWS_ACCESS_KEY=SECRET", "-b session=SECRET", "--cookie a=SECRET",
        "-d '{\"password\": \"SECRET\"}'", "-d '{\"h\":{\"Cookie\":\"SECRET\"}}'", "-d \"{'api_key': 'SECRET'}\"",
        "-d \"{\\\"token\\\":\\\"SECRET\\\"}\"", "-d 'user=me&password=SECRET&x=1'",
        // Words of a shell whose pieces are quoted one by one.
        "--user=me:'SECRET'", "-u 'me':SECRET", "-u me:\"SECRET\"", "PASSWORD=a'SECRET'", "API_KEY='a'\"SECRET\"",
        "--token a'SECRET'b", "-H Authorization: 'Bearer SECRET'", "-b a='SECRET'",
    ]
    /// The same in URLs, where a secret has to be encoded.
    static let addresses = [
        "http://me:SECRET@host/", "https://SECRET@host/", "postgres://me:SECRET@host/db", "redis://:SECRET@host:6379/0",
        "amqp://me:SECRET@host:5672/%2F", "ftp://me:SECRET@host/", "git+ssh://me:SECRET@host/x",
        "https://host/a?w=1&X-Amz-Signature=SECRET&h=2", "https://host/a?token=SECRET", "s3://bucket/a?sig=SECRET",
        "jdbc:mysql://host/db?user=me&password=SECRET", "host/a?X-Amz-Security-Token=SECRET",
        "https://host/?next=https%3A%2F%2Fme%3ASECRET%40host%2F", "https://host/a#access_token=SECRET",
        "MONGODB+SRV://me:SECRET@host", "postgres://me:SEC/SECRET@host/db",
        "http://localhost:$PORT/v1?key=SECRET", "http://{host}:{port}/?a=1&token=SECRET#x", "//me:SECRET@host/x",
    ]

    @Test(arguments: shapes) func noShapeKeepsIt(shape: String) {
        for secret in Self.secrets {
            let command = "tool -o {file} \(shape.replacing("SECRET", with: secret)) -v {url}"
            let safe = Self.redaction.text(command)
            #expect(!safe.contains("Pl4nted"), "\(safe)")
            #expect(safe.hasPrefix("tool -o {file} ") && safe.hasSuffix(" -v {url}"), "\(safe)")
            #expect(Self.redaction.text(safe) == safe)
        }
    }

    @Test(arguments: addresses) func noAddressKeepsIt(address: String) {
        for secret in ["Pl4nted", "a%2FPl4nted%3A", "Pl4nted%40x"] {
            for quote in ["", "'", "\""] {
                let url = quote + address.replacing("SECRET", with: secret) + quote
                let safe = Self.redaction.text("tool -o {file} \(url) -v {url}")
                #expect(!safe.contains("Pl4nted"), "\(safe)")
                #expect(
                    safe.hasPrefix("tool -o {file} ") && safe.hasSuffix(" -v {url}")
                        && safe.contains("host") == url.contains("host"), "\(safe)")
            }
        }
    }

    @Test(arguments: [
        "at 12:30 a:b", "curl http://host:80/a?seed=1&w=2 -o {file}", "curl -H 'Accept: a:b' {url}", "ssh://git@host/x",
        "echo monkey: 3 keyboard: us author: me", "curl -d '{\"max_tokens\": 100, \"name\": \"me\"}' {url}",
        "docker run image:22.04@sha256:0a1b {url}", "curl https://host/{file}?a={url}", "tar -C a:b -x",
        "std::vector<int>",
        "file:///tmp/x http://[::1]:80/y", "npm i @scope/a@1.2 https://host/@scope/pkg", "grep -e key.x=1 {file}",
    ])
    func textWithoutACredentialIsUnchanged(text: String) {
        #expect(Self.redaction.text(text) == text)
    }

    @Test(arguments: ["p/w d+x@y", "p%2Fw%20d", "ä:ö=&"]) func everyEncodingOfAKnownOneIsFound(secret: String) throws {
        let decoded = try #require(secret.removingPercentEncoding)
        let encoded = try #require(decoded.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let command = try ExternalCommand(parsing: "c=tool --password '\(secret)' {url}")
        let said = "refused \(secret), \(decoded), \(encoded), \(encoded.lowercased()) (22)"
        let field = RequestDetails(fields: [.init(name: "X-Key", value: secret)])
        let url = "http://me:\(encoded)@host/"
        let basic = Data("me:\(decoded)".utf8).base64EncodedString()
        for safe in [
            field.redacted(in: said), RedactedURL.text(said + basic, without: url),
            Self.redaction.text(encoded + " (22)", of: command),
        ] {
            for form in [secret, decoded, encoded, encoded.lowercased(), basic] {
                #expect(!safe.contains(form), "\(safe)")
            }
            #expect(safe.contains("(22)"))
        }
    }
}

struct FileSystemTests {
    private static let mounts = """
        22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        23 22 0:21 / /proc rw - proc proc rw
        30 22 0:26 / /run rw shared:5 master:2 - tmpfs tmpfs rw,size=1G
        31 30 0:27 / /run/disk rw - xfs /dev/sdb1 rw
        32 22 0:28 / /over rw - btrfs /dev/sdc rw
        33 32 0:29 / /over rw - tmpfs tmpfs rw
        a line that is none

        """

    @Test(arguments: [
        ("/", "ext4"), ("/home/somebody", "ext4"), ("/run", "tmpfs"), ("/run/a/b", "tmpfs"), ("/run/disk/a", "xfs"),
        ("/run/disky", "tmpfs"), ("/runfile", "ext4"), ("/proc/self", "proc"), ("/over/x", "tmpfs"),
    ])
    func theLongestMountPointAboveAPathDecides(path: String, type: String) {
        #expect(FileSystem.type(of: path, inMountInfo: Self.mounts) == type)
    }

    @Test func withoutALineThereIsNoType() {
        #expect(FileSystem.type(of: "/run", inMountInfo: "") == nil)
        #expect(FileSystem.type(of: "/run", inMountInfo: "23 22 0:21 / /proc rw - proc proc rw\n") == nil)
    }

    @Test func theKernelsOwnFoldersAreKnown() {
        #expect(FileSystem.type(of: "/proc") == "proc")
        #expect(FileSystem.type(of: "/does/not/exist") == "unknown")
    }

    @Test(arguments: [("tmpfs", true), ("ramfs", true), ("ext4", false), ("overlay", false)])
    func memoryIsTold(type: String, isMemory: Bool) {
        #expect(FileSystem.isMemory(type) == isMemory)
    }
}
