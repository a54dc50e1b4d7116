import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePersistence
import WireService
import WireStateContract
import WireStore

@Suite("What the file says about what apps store")
struct RulesTests {
    @Test("a namespace lies under the environment it belongs to, never where the runner's own are")
    func scopes() throws {
        let rules = try File.rules("namespaces: { all: { perEnvironment: false } }")
        #expect(try rules.area("notes").scope == "state/dev/notes")
        #expect(try rules.area("all").scope == "state//all")
        #expect(try File.rules("maxSize: 1MiB", environment: "").area("notes").scope == "state//notes")
        #expect(try rules.area("corewire").scope == "state/dev/corewire")
    }

    @Test(
        "what is no name is no namespace",
        arguments: [
            "", "a/b", "../corewire", "a b", ".a", "-a", "a\u{0}", "caf\u{e9}", String(repeating: "n", count: 65),
        ]
    )
    func names(name: String) throws {
        let rules = try File.rules("maxSize: 1MiB")
        #expect { try rules.area(name) } throws: { ($0 as? StateFailure)?.kind == .badName }
        let longest = String(repeating: "n", count: 64)
        #expect(try rules.area(longest).name == longest)
    }

    @Test("each key of a namespace has its effect, and the defaults hold for those not listed")
    func effects() throws {
        let rules = try File.rules(
            """
            maxSize: 2MiB
            maxNamespaces: 20
            maxNamespacesTogether: 30
            namespaces:
              drafts: { ttl: 7d, maxEntries: 3, maxSize: 1MiB, whenFull: removeOldest, encrypted: true }
            """
        )
        let drafts = try rules.area("drafts")
        let together = StorageQuota.Together("state/", .mebibytes(2))
        #expect(drafts.lifetime == .seconds(7 * 86_400))
        #expect(drafts.quota == StorageQuota(entries: 3, size: .mebibytes(1), together: together, removesOldest: true))
        #expect(drafts.isEncrypted)
        let notes = try rules.area("notes")
        #expect(notes.lifetime == nil)
        let namespaces = StorageQuota.Namespaces("state/dev/", 20, within: "state/", 30)
        #expect(
            notes.quota
                == StorageQuota(entries: 10_000, size: .mebibytes(64), together: together, namespaces: namespaces)
        )
        #expect(!notes.isEncrypted)
    }

    @Test("with onlyDeclared there are no other namespaces, and the refusal points at the key")
    func onlyDeclared() throws {
        let rules = try File.rules("onlyDeclared: true\nnamespaces: { drafts: {} }")
        #expect(try rules.area("drafts").name == "drafts")
        #expect { try rules.area("draft") } throws: { error in
            let failure = error as? StateFailure
            return failure?.kind == .undeclared && failure?.origin?.path == "persistence.onlyDeclared"
                && failure?.reason == "the namespace 'draft' is not declared, did you mean 'drafts'?"
        }
        #expect(rules.areas(inStore: ["state/dev/draft", "state/dev/drafts"]).map(\.name) == ["drafts"])
    }

    @Test("of what is in the store, apps see what they reach by name: not the runner's, not another environment's")
    func listed() throws {
        let rules = try File.rules("namespaces: { all: { perEnvironment: false }, b: {} }")
        let scopes = ["corewire/generations", "state//all", "state//old", "state/dev/a", "state/prod/c", "state/dev/b"]
        #expect(rules.areas(inStore: scopes).map(\.name) == ["a", "all", "b"])
    }

    @Test(
        "a key is text without control characters and without steps through folders, 1 to 512 bytes long",
        arguments: [
            ("a", true), ("a/b", true), ("/", true), ("a//b", true), ("...", true), ("a.b", true), ("\u{e9}", true),
            (String(repeating: "\u{e9}", count: 256), true), (String(repeating: "k", count: 512), true),
            ("", false), (String(repeating: "k", count: 513), false), (String(repeating: "\u{e9}", count: 257), false),
            ("a\u{0}", false), ("a\n", false), ("\u{7f}", false), ("\u{9f}", false), (".", false), ("..", false),
            ("a/../b", false), ("./a", false), ("a/.", false),
        ]
    )
    func keys(key: String, isOne: Bool) {
        var passed = true
        do { try PersistenceRules.check(key: key) } catch { passed = false }
        #expect(passed == isOne)
    }

    @Test("a writer may shorten the life of an entry, and never lengthen it")
    func lifetimes() throws {
        let rules = try File.rules("namespaces: { drafts: { ttl: 7d } }")
        let (drafts, notes) = (try rules.area("drafts"), try rules.area("notes"))
        #expect(try rules.lifetime(nil, in: drafts) == .seconds(7 * 86_400))
        #expect(try rules.lifetime(.seconds(60), in: drafts) == .seconds(60))
        #expect(try rules.lifetime(.seconds(7 * 86_400), in: drafts) == .seconds(7 * 86_400))
        #expect(try rules.lifetime(nil, in: notes) == nil)
        for seconds in [1, 60, 3_650 * 86_400] {
            #expect(try rules.lifetime(.seconds(seconds), in: notes) == .seconds(seconds))
        }
        let refused: [(Duration, PersistenceRules.Area)] = [
            (.seconds(7 * 86_400 + 1), drafts), (.milliseconds(999), notes), (.zero, notes), (.seconds(-1), notes),
            (.seconds(3_650 * 86_400 + 1), notes),
        ]
        for (wanted, area) in refused {
            #expect { try rules.lifetime(wanted, in: area) } throws: {
                ($0 as? StateFailure)?.kind == .badLifetime
            }
        }
    }

    @Test(
        "clearing takes what people left here, what the environment has, or all that apps store",
        arguments: [
            (.user, ["state//common", "state/dev/drafts"]), (.environment, ["state/dev/drafts", "state/dev/maps"]),
            (.all, ["state//common", "state//atlas", "state/dev/drafts", "state/dev/maps", "state/prod/drafts"]),
        ] as [(ClearingScope, [String])]
    )
    func cleared(scope: ClearingScope, expected: [String]) throws {
        let rules = try File.rules(
            """
            namespaces:
              maps: { of: device }
              common: { perEnvironment: false }
              atlas: { of: device, perEnvironment: false }
            """
        )
        let scopes = [
            "corewire/generations", "state//common", "state//atlas", "state/dev/drafts", "state/dev/maps",
            "state/prod/drafts",
        ]
        #expect(rules.cleared(scope, among: scopes).map { $0.scope } == expected)
    }

    @Test("a value has its largest size, and the refusal points at the key")
    func sizes() throws {
        let rules = try File.rules("maxValueSize: 10B")
        try rules.check(size: 10)
        #expect { try rules.check(size: 11) } throws: {
            ($0 as? StateFailure)?.origin?.path == "persistence.maxValueSize"
        }
    }
}
