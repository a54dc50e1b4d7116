import Foundation
import Support
import Testing

@Suite("The order in which 'corewire push send' reads its inputs")
struct PushSendOrderTests {
    /// The message tells of standard input only where it was read.
    private static let unusable = Data("no subscription, no token\n".utf8)

    @Test(
        "all arguments and files are checked before standard input is read",
        arguments: [
            (["--subscription", "-"], 64, "expected a text or --data"),
            (["--subscription", "-", "Hello", "--topic", "a b"], 64, "--topic takes"),
            (["--subscription", "-", "Hello", "--vapid-key", "nowhere"], 66, "cannot read 'nowhere'"),
            (["--subscription", "-", "Hello", "--vapid-key", "key"], 1, "'key' has no private key"),
            (["--subscription", "nowhere", "Hello", "--vapid-key", "-"], 66, "cannot read 'nowhere'"),
            (["--ntfy", "https://n.invalid/t", "--token", "-"], 64, "expected a text or --data"),
            (["--ntfy", "n.invalid/t", "Hello", "--token", "-"], 64, "--ntfy takes the URL"),
            (["--ntfy", "https://n.invalid/a%20b", "Hello", "--token", "-"], 64, "a topic has"),
            (
                ["--mqtt", "mqtts://b.invalid", "--topic", "t", "--username", "u", "--password", "-"], 64,
                "expected a text or --data"
            ),
            (
                ["--mqtt", "mqtts://b.invalid", "Hello", "--topic", "t/#", "--username", "u", "--password", "-"], 64,
                "--topic takes the name"
            ),
        ] as [([String], Int32, String)]
    )
    func last(arguments: [String], status: Int32, message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("no key", to: "key")
        let run = try Program.corewire(["push", "send"] + arguments, in: folder.url, input: Self.unusable)
        #expect(run.status == status && run.errors.contains(message), "\(run.everything)")
        #expect(!run.errors.contains("standard input"))
    }
}
