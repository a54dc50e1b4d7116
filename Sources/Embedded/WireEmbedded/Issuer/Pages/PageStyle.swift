import WireBackends
import WireBase
import WireSecrets

/// The style of the pages, and the policy that forbids loading resources and framing.
struct PageStyle: Sendable {
    private let digest: String

    init(_ secrecy: any CryptoProvider) throws(Fault) {
        digest = Base64.text(of: try secrecy.digest(Array(Self.sheet.utf8)).bytes)
    }

    /// Returns the policy for a page whose form may lead to another origin.
    func policy(leadingTo origin: String? = nil) -> String {
        "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; frame-ancestors 'none'; "
            + "form-action 'self'\(origin.map { " \($0)" } ?? "")"
    }

    static let sheet = """
        :root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6575;--paper:#f3f5f8;--card:#fff;--line:#d5dbe3;\
        --main:#1f5fbf;--on:#fff;--bad:#b3261e;--badbed:#fdecea;--note:#7a4f00;--notebed:#fff4d6}
        @media(prefers-color-scheme:dark){:root{--ink:#e7ebf1;--soft:#a3adbb;--paper:#12161c;--card:#1b212a;\
        --line:#343d4a;--main:#8ab4f8;--on:#0d1420;--bad:#ffb4ab;--badbed:#3b1a18;--note:#ffd98a;--notebed:#352a10}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:flex;align-items:center;justify-content:center;padding:1rem;\
        font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
        main{width:100%;max-width:24rem;background:var(--card);border:1px solid var(--line);border-radius:12px;\
        padding:1.5rem}
        h1{font-size:1.3rem;line-height:1.3;margin:0 0 .25rem;overflow-wrap:anywhere}
        p{margin:.5rem 0;overflow-wrap:anywhere}
        .soft{color:var(--soft);font-size:.9rem}
        .dev{font-size:.8rem;color:var(--note);background:var(--notebed);border-radius:8px;padding:.4rem .7rem;\
        margin:0 0 1rem}
        .bad{color:var(--bad);background:var(--badbed);border-radius:8px;padding:.5rem .75rem}
        label{display:block;margin:1rem 0 .25rem;font-size:.9rem}
        input{width:100%;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);\
        border-radius:8px;padding:.55rem .7rem}
        input.code{font:1.3rem/1.4 ui-monospace,monospace;letter-spacing:.12em;text-transform:uppercase}
        button,a.button{display:block;width:100%;margin-top:1.25rem;font:inherit;font-weight:600;text-align:center;\
        text-decoration:none;color:var(--on);background:var(--main);border:1px solid var(--main);border-radius:8px;\
        padding:.6rem}
        button.other{color:var(--main);background:transparent;margin-top:.6rem}
        :focus-visible{outline:3px solid var(--main);outline-offset:2px}
        """
}
