import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("Unreadable requests, and secret members")
struct MisreadCallTests {
    struct Unlock: JSONRecord {
        let name: String
        let password: SecretText

        init(_ name: String, _ password: String) { (self.name, self.password) = (name, SecretText(Secret(password))) }

        static let form = JSONForm<Self>("Unlock", "A lock to open.")

        init(_ members: inout Members<Self>) throws(JSONMismatch) {
            name = try members.path("name", \.name, "Which one.")
            password = try members.required("password", \.password, "What opens it.")
        }
    }

    static let unlock = APICall<Unlock, Nothing, NoFailureKind>(
        .post,
        "/v1/locks/{name}",
        "Open a lock.",
        access: .write,
        answers: [.init(.noContent, "It is open.")],
        fails: []
    )

    final class Locks: RouteGroup {
        let heard = Mutex<[String]>([])

        static let table: [RouteEntry<Locks>] = [
            .call(
                MisreadCallTests.unlock,
                by: { locks in
                    { request async throws(APIFailure<NoFailureKind>) in
                        locks.heard.withLock { $0.append("opened by \(request.password.secret.reveal())") }
                        return .done
                    }
                },
                misread: { locks in
                    { request, problem in
                        locks.heard.withLock { $0.append("\(request[parameter: "name"]): \(problem.status.code)") }
                    }
                }
            )
        ]
    }

    @Test(
        "only unreadable requests are reported to the group",
        arguments: [
            ("{", 400, "door: 400"), ("{}", 400, "door: 400"),
            (#"{"password":"sesame"}"#, 204, "opened by sesame"),
        ]
    )
    func misread(body: String, status: Int, heard: String) async throws {
        let locks = Locks()
        var request = Request(
            method: .post,
            target: try #require(Target(parsing: "/v1/locks/door")),
            fields: ["Content-Type": "application/json"],
            caller: .address("127.0.0.1")
        )
        request.rights = .everything("ada")
        guard case .collect(_, let collect) = Router(locks.routes).exchange(for: request).plan else {
            Issue.record("the body is not asked for")
            return
        }
        request.body = Array(body.utf8)
        let answer: Response
        switch collect(request) {
        case .now(let response): answer = response
        case .later(let work): answer = await work()
        }
        #expect(answer.status.code == status)
        #expect(locks.heard.withLock { $0 } == [heard])
    }

    @Test("a secret is sent unchanged, and never printed")
    func secret() {
        let request = Unlock("door", "sesame")
        #expect(String(decoding: request.bytes, as: UTF8.self) == #"{"password":"sesame"}"#)
        #expect(!"\(request)".contains("sesame") && !String(reflecting: request).contains("sesame"))
    }
}
