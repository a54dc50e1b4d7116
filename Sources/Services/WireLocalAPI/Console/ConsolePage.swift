import ConsoleFiles

/// The console: one page that shows how the runner is and lets a person change what runs.
///
/// The page is whole in itself: style and script stand in it, each with the nonce of the answer it is sent in, and it
/// asks for nothing but the local API of its own origin. What the API says is only ever put into it as text.
package enum ConsolePage {
    /// The document, for one answer.
    ///
    /// The nonce is new for each answer, and is the one `contentSecurityPolicy(nonce:)` names in its header.
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

    /// What the browser may do for the page; the value of the header `Content-Security-Policy`.
    ///
    /// Only the script and the style with the nonce count, requests go to the page's origin alone, no text becomes markup
    /// (Trusted Types without a policy), and no other page may frame it. Images are the mark in the tab, a data URL.
    package static func contentSecurityPolicy(nonce: String) -> String {
        precondition(isNonce(nonce), "a nonce is written in base64, and is not empty")
        return [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    static let script = unsafe text(of: console_script())
    private static let style = unsafe text(of: console_style())
    private static let head = unsafe text(of: console_head())
    /// What stands on the page before anything is known; the script fills it.
    private static let body = unsafe text(of: console_body())

    private static func text(of file: ConsoleFile) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
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
