import WireBackends
import WireHTTP

/// A page for a person: one column, no script, nothing from elsewhere.
struct Page: Sendable {
    let title: String
    /// HTML; whatever came from outside is escaped where it is put in.
    let content: String
    var status = Status.ok
    /// Where its form, or the browser by itself after a while, may lead to besides this server.
    var origin: String?
    /// Where the browser goes by itself after some seconds.
    var next: String?

    func response(_ style: PageStyle, cookies: [String] = []) -> Response {
        let refresh = next.map { "<meta http-equiv=\"refresh\" content=\"5;url=\($0.htmlEscaped)\">\n" } ?? ""
        let text = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="robots" content="noindex">
            \(refresh)<title>\(title.htmlEscaped)</title>
            <style>\(PageStyle.sheet)</style>
            </head>
            <body>
            <main>
            <p class="dev">A server for development, built into corewire. Nothing here is protected.</p>
            <h1>\(title.htmlEscaped)</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        var response = Response(
            status,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": style.policy(leadingTo: origin),
                "X-Frame-Options": "DENY", "Pragma": "no-cache",
            ],
            body: .bytes(Array(text.utf8))
        )
        for cookie in cookies { response.fields.add("Set-Cookie", cookie) }
        return response
    }
}

extension Response {
    /// Sends the browser elsewhere; with 303 it never sends a form's content along (RFC 9700, section 4.12).
    static func seeOther(_ location: String, cookies: [String] = []) -> Response {
        var response = Response(Status(303), fields: ["Location": location])
        for cookie in cookies { response.fields.add("Set-Cookie", cookie) }
        return response
    }
}
