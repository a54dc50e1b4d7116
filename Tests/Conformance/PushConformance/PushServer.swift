import Foundation
package import Support

/// A push server that responds as a test configures it, and records its requests.
package final class PushServer: Sendable {
    /// A received request, with lower-case field names.
    package struct Seen: Sendable, Decodable {
        package let method: String
        package let path: String
        package let fields: [String: String]
        package let body: String
        /// The status of the response.
        package let status: Int

        package var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
        }
    }

    package struct Answer: Sendable, Encodable {
        let status: Int
        let body: String
        let fields: [String: String]

        package init(_ status: Int, _ body: String = "", _ fields: [String: String] = [:]) {
            (self.status, self.body, self.fields) = (status, body, fields)
        }
    }

    package let folder: TemporaryFolder
    private let program: StartedProgram
    /// `http://127.0.0.1:port`.
    package let base: String

    package init() async throws {
        folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("pushserver.py")
        program = try StartedProgram(
            "/usr/bin/python3",
            [script.path, folder.url.path],
            environment: [:],
            output: "/dev/null",
            errors: folder.url.appendingPathComponent("server.log").path
        )
        var port: String?
        while port == nil {
            port = try? folder.text(of: "port")
            await breath()
        }
        base = "http://127.0.0.1:\(port ?? "")"
    }

    /// Sets the next responses, in this order.
    package func answer(_ answers: Answer...) throws { try answer(answers) }

    package func answer(_ answers: [Answer]) throws {
        let text = String(decoding: try JSONEncoder().encode(answers), as: UTF8.self)
        let place = folder.url.appendingPathComponent("answers")
        try Data(text.utf8).write(to: place, options: .atomic)
    }

    /// A lasting behavior.
    package enum Mood: String {
        /// Closes connections without a response.
        case away
        /// Records requests, and sends nothing.
        case silent
        /// Rejects all sign-ins.
        case nobody
    }

    package func be(_ mood: Mood, _ isSo: Bool = true) throws {
        if isSo {
            try folder.write("", to: mood.rawValue)
        } else {
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent(mood.rawValue))
        }
    }

    /// All requests so far.
    package var seen: [Seen] {
        let lines = ((try? folder.text(of: "seen")) ?? "").split(separator: "\n")
        return lines.compactMap { try? JSONDecoder().decode(Seen.self, from: Data($0.utf8)) }
    }

    /// Waits for a number of requests.
    package func seen(_ count: Int) async throws -> [Seen] {
        var seen: [Seen] = []
        let isSo = await eventually {
            seen = self.seen
            return seen.count >= count
        }
        try PushConformance.expect(isSo, "it was asked no more than \(seen)")
        return seen
    }
}
