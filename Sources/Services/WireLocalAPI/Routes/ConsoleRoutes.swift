import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

/// The console: one page, and the link that opens it.
struct ConsoleRoutes: RouteGroup {
    let sessions: ConsoleSessions
    let secrecy: any Secrecy
    /// Where the console is reached; nil without a loopback address.
    let address: @Sendable () -> String?

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/",
                "The console.",
                access: .anyone,
                inputs: [.init(.query, "key", "What 'corewire console' prints, good once.")],
                answers: [
                    .body("text/html", "The page."),
                    .nothing(Status(303), "The key is used up; the page without it in the address.")
                        .with("Location", "The page.").with("Set-Cookie", "The session, where the key was good."),
                ]
            )
        ) { .snapshot($0.page) },
        .init(
            .init(
                .post,
                "/v1/console/link",
                "Make a link that signs in to the console once.",
                access: .admin,
                answers: [
                    .json(.object([.required("url", "Good once, for five minutes.", .text)]), "The link."),
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
                answers: [.nothing(.noContent, "It is over.").with("Set-Cookie", "Takes the session away.")]
            )
        ) { .snapshot($0.logOut) },
    ]

    private func logOut(_ request: Request) -> Response {
        if let session = request.sessionCookie { sessions.close(session) }
        return Response(.noContent, fields: ["Set-Cookie": Self.cookie("", age: 0)])
    }

    private func link(_ request: Request) throws -> Response {
        guard let address = address() else {
            throw Problem(
                .conflict,
                "no-console",
                "there is no console",
                detail: "the console needs a loopback address; write 'api: { listen: 127.0.0.1:7420 }'"
            )
        }
        return .json(.members(["url": .string("\(address)/?key=\(try sessions.makeLink())")]))
    }

    private func page(_ request: Request) throws -> Response {
        if let key = request.query("key") {
            // The key leaves the address bar at once, and the history with it.
            var fields: Fields = ["Location": "/", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"]
            if let session = try sessions.open(with: key) {
                fields.add("Set-Cookie", Self.cookie(session, age: 43_200))
            }
            return Response(Status(303), fields: fields)
        }
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

    private static func cookie(_ session: String, age: Int) -> String {
        "\(ConsoleSessions.cookie)=\(session); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
    }
}
