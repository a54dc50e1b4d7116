import ConsoleFiles

/// The console: a web app in one document, which shows the state of the runner and of each service, and changes them.
///
/// The document contains its style and script, each with the nonce of the response. It sends requests to the local API of
/// its own origin alone, and shows what the API answers as text.
package enum ConsolePage {
    /// The document for one response.
    ///
    /// The nonce is new for each response, and the same as in `contentSecurityPolicy(nonce:)`.
    package static func document(nonce: String) -> String {
        precondition(isNonce(nonce), "a nonce is written in base64, and is not empty")
        return """
            <!doctype html>
            <html lang="en">
            <head>
            \(head)<style nonce="\(nonce)">
            \(style)</style>
            </head>
            <body>
            \(body)<script type="module" nonce="\(nonce)">
            \(script)</script>
            </body>
            </html>

            """
    }

    /// The value of the header `Content-Security-Policy`.
    ///
    /// Only the script and the style with the nonce run, requests go to the page's origin alone, no text becomes markup
    /// (Trusted Types without a policy), and no other page may frame it. The only image is the icon, a data URL.
    package static func contentSecurityPolicy(nonce: String) -> String {
        precondition(isNonce(nonce), "a nonce is written in base64, and is not empty")
        return [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    static let script = compact(unsafe text(of: console_script()))
    private static let style = compact(unsafe text(of: console_style()))
    private static let head = unsafe text(of: console_head())
    /// The initial contents of the page; the script fills them.
    private static let body = unsafe text(of: console_body())

    private static func text(of file: ConsoleFile) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    }

    /// The lines without indentation and without those that are only a comment.
    private static func compact(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { !$0.hasPrefix("//") }
            .joined(separator: "\n")
    }

    private static func isNonce(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
    }
}
