import Testing
import WireHTTP

@testable import WireNetwork

@Suite("Fields of browsers")
struct BrowserFieldTests {
    @Test("fields by which a browser describes its request to the local API are not sent to servers")
    func dropped() {
        let fields: Fields = [
            "Accept": "a/b", "Sec-Fetch-Site": "same-origin", "sec-ch-ua-mobile": "?0", "Origin": "http://localhost",
            "Referer": "http://localhost/", "Pragma": "no-cache", "Upgrade-Insecure-Requests": "1", "Section": "kept",
        ]
        #expect(HeaderFilter.sent(fields).all.map(\.name) == ["Accept", "Section"])
    }
}
