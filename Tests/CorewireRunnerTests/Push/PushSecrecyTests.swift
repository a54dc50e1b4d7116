import Foundation
import Support
import Testing

/// BY-15: no output has an endpoint, a key, a token or the name of a topic, besides `corewire push subscription`.
@Suite("Secrets of push transports", .serialized, .enabled(if: PushTransport.areThere))
struct PushSecrecyTests {
    /// A text that is no secret, and has to be found.
    private static let planted = "pl4nted-t3xt-0815"

    /// Fails for each output with a secret.
    private static func expectNone(_ scene: SecrecyScene, in outputs: [String: String], _ moment: String) {
        let forms = SecretForms(scene.secrets)
        for (name, text) in outputs {
            let found = forms.found(in: text)
            #expect(found.isEmpty, "\(moment), \(name): \(found)")
        }
    }

    /// A runner that has shown a message.
    private static func shown(_ transport: PushTransport) async throws -> SecrecyScene {
        let scene = try await SecrecyScene(transport)
        try await scene.send(planted)
        let isShown = try await eventually {
            try scene.runner.corewire(["notifications", "list"]).output.contains(planted)
        }
        #expect(isShown, "\(scene.runner.log)")
        return scene
    }

    @Test("a secret is found in each form", arguments: SecretForms.forms(of: planted).map(\.name))
    func found(form: String) throws {
        let secret = try #require(SecretForms.forms(of: "/\(Self.planted)+").first { $0.name == form }?.text)
        #expect(SecretForms(["it": "/\(Self.planted)+"]).found(in: "a \(secret) b").contains("it\(form)"))
    }

    @Test("secrets are in no output, whatever happens", .timeLimit(.minutes(3)), arguments: PushTransport.allCases)
    func outputs(_ transport: PushTransport) async throws {
        let scene = try await Self.shown(transport)
        Self.expectNone(scene, in: try scene.fileOutputs(), "file")
        let outputs = try await scene.outputs()
        Self.expectNone(scene, in: outputs, "connected")
        let planted = SecretForms(["it": Self.planted])
        for name in ["notifications list", "notifications list --format json", "GET /v1/notifications"] {
            #expect(!planted.found(in: outputs[name] ?? "").isEmpty, "\(name)")
        }

        try await scene.refuse()
        let isRejected = await eventually { scene.runner.log.contains(transport.rejection) }
        #expect(isRejected, "\(scene.runner.log)")
        Self.expectNone(scene, in: try await scene.outputs(), "rejected")

        try await scene.cut()
        let file = try scene.runner.home.text(of: "com.example.tasks.yaml")
        let broken = file.replacing("notifications:", with: "notifcations:").replacing("type:", with: "typ:")
        let answer = try await scene.runner.reload(broken)
        #expect(answer.status == 422, "\(answer.text)")
        Self.expectNone(scene, in: try scene.fileOutputs().merging(["reload": answer.text]) { $1 }, "broken file")
        Self.expectNone(scene, in: try await scene.outputs(), "broken")

        #expect(try await scene.runner.reload(file).status == 200)
        let switched = try scene.runner.corewire(["env", "use", "other"])
        #expect(switched.status == 0, "\(switched.everything)")
        Self.expectNone(scene, in: try await scene.outputs(), "switched")
        try await scene.runner.stop()
        Self.expectNone(scene, in: ["log": scene.runner.log], "stopped")
    }

    @Test(
        "the pages of the console have no secret",
        .timeLimit(.minutes(5)),
        .enabled(if: Browser.isInstalled),
        arguments: PushTransport.allCases
    )
    func console(_ transport: PushTransport) async throws {
        let scene = try await Self.shown(transport)
        let address = try await LoopbackAddress(scene.runner)
        let link = try await address.link()
        let pages = try Browser.run("Push/push_pages_test.py", [link, Self.planted])
        #expect(pages.status == 0, "\(pages.errors)")
        #expect(pages.output.contains(Self.planted))
        Self.expectNone(scene, in: ["pages": pages.output], "connected")
        try await scene.runner.stop()
    }
}

extension PushTransport {
    /// What the log says when servers reject the runner.
    fileprivate var rejection: String {
        switch self {
        case .distributor: "failed to register: INTERNAL_ERROR"
        case .mqtt, .ntfy, .gotify, .autopush, .ntfyEndpoints: "a stream of notifications was rejected"
        }
    }
}
