import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

/// The page of the console, and the link that opens a session.
struct ConsoleRoutes: RouteGroup {
    let sessions: ConsoleSessions
    let secrecy: any CryptoProvider
    /// The address of the console; nil without a loopback address.
    let address: @Sendable () -> String?

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/",
                "Serve the console.",
                access: .anyone,
                answers: [.body("text/html", "The page.")]
            )
        ) { .snapshot($0.page) },
        .init(
            .init(
                .post,
                "/v1/console/session",
                "Begin a session of the console with the key of a link. The key is valid once.",
                access: .anyone,
                inputs: [
                    .init(.header, ConsoleSessions.keyField, "The key that 'corewire console' prints, valid once.")
                ],
                answers: [
                    .json(.object([.required("session", "The value for Corewire-Console.", .text)]), "The session."),
                    .problem(.unauthorized, "unauthorized", "The key is wrong, used or expired."),
                ]
            )
        ) { .snapshot($0.begin) },
        .init(
            .init(
                .post,
                "/v1/console/link",
                "Make a link that opens a session of the console once.",
                access: .admin,
                answers: [
                    .json(.object([.required("url", "Valid once and for five minutes.", .text)]), "The link."),
                    .problem(.conflict, "no-console", "There is no loopback address."),
                ]
            )
        ) { .snapshot($0.link) },
        .init(
            .init(
                .post,
                "/v1/console/logout",
                "End the session of the console.",
                access: .read,
                inputs: [.init(.header, ConsoleSessions.field, "The session.")],
                answers: [.nothing(.noContent, "The session has ended.")]
            )
        ) { .snapshot($0.logOut) },
    ]

    private func begin(_ request: Request) throws -> Response {
        guard let key = request.fields[ConsoleSessions.keyField], let session = try sessions.open(with: key) else {
            throw Problem.unauthorized("the link was used or has expired; run 'corewire console' for a new one")
        }
        return .json(.members(["session": .string(session)]))
    }

    private func logOut(_ request: Request) -> Response {
        if let session = request.fields[ConsoleSessions.field] { sessions.close(session) }
        return Response(.noContent)
    }

    private func link(_ request: Request) throws -> Response {
        guard let address = address() else {
            throw Problem(
                .conflict,
                "no-console",
                "the console is not available",
                detail: "the console requires a loopback address; set 'api.listen' to '127.0.0.1:7420'"
            )
        }
        // Browsers do not send the fragment, so the key is in no log.
        return .json(.members(["url": .string("\(address)/#key=\(try sessions.makeLink())")]))
    }

    private func page(_ request: Request) throws -> Response {
        let nonce = Hexadecimal.text(of: try secrecy.random(16))
        return Response(
            .ok,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
                "Content-Security-Policy": ConsolePage.contentSecurityPolicy(nonce: nonce),
            ],
            body: .bytes(Array(ConsolePage.document(nonce: nonce).utf8))
        )
    }
}
