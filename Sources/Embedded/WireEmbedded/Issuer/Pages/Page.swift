import WireBackends
import WireHTTP

/// An HTML page: one column, no script, no external resources.
struct Page: Sendable {
    let title: String
    /// HTML; text from outside is escaped on insertion.
    let content: String
    var status = Status.ok
    /// The origin besides this server to which a form or a redirect may lead.
    var origin: String?
    /// The address to which the browser redirects after some seconds.
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
    /// Redirects the browser with 303, so that it never repeats a form's content (RFC 9700, section 4.12).
    static func seeOther(_ location: String, cookies: [String] = []) -> Response {
        var response = Response(Status(303), fields: ["Location": location])
        for cookie in cookies { response.fields.add("Set-Cookie", cookie) }
        return response
    }
}
