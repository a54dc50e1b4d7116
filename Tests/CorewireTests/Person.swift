import Foundation
import Support
import Synchronization

/// A person with a browser as simple as can be: keeps cookies, fills the form, and goes where the page sends it.
final class Person: Sendable {
    struct Lost: Error {
        let text: String
    }

    private let cookies = Mutex<[String: String]>([:])

    /// Opens the address a sign-in asks for, and signs in; the address the server sends the browser to in the end.
    func signIn(at url: String, as name: String = "ada", _ password: String = "wonder") async throws -> String {
        let page = try await ask("GET", url)
        let form = [("username", name), ("password", password)]
        let answer = page.status == 303 ? page : try await submit(page, at: url, form)
        if answer.status == 303, let location = answer["Location"] { return location }
        // Whoever is blocked is told so on a page, and goes back by a link.
        guard let link = Self.part(of: answer.text, "<a class=\"button\" href=\"", "\"") else {
            throw Lost(text: "\(answer.status) \(answer.text)")
        }
        return link.replacingOccurrences(of: "&amp;", with: "&")
    }

    /// The same, and goes there; what the page says that it comes to.
    @discardableResult
    func comeBack(from url: String, as name: String = "ada", _ password: String = "wonder") async throws -> String {
        try await ask("GET", signIn(at: url, as: name, password)).text
    }

    private func submit(_ page: RawClient.Answer, at url: String, _ typed: [(String, String)]) async throws
        -> RawClient.Answer
    {
        guard let action = Self.part(of: page.text, "action=\"", "\""),
            let token = Self.part(of: page.text, "name=\"token\" value=\"", "\""),
            let target = URL(string: action.replacingOccurrences(of: "&amp;", with: "&"), relativeTo: URL(string: url))
        else { throw Lost(text: "no form in \(page.status) \(page.text)") }
        let body = ([("token", token)] + typed).map { "\($0)=\($1)" }.joined(separator: "&")
        return try await ask("POST", target.absoluteString, body)
    }

    private func ask(_ method: String, _ url: String, _ body: String? = nil) async throws -> RawClient.Answer {
        guard let parts = URLComponents(string: url), let port = parts.port else { throw Lost(text: url) }
        let path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        let jar = cookies.withLock { $0 }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        if !jar.isEmpty { head += "Cookie: \(jar)\r\n" }
        if let body {
            head += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        let bytes = Array("\(head)\r\n\(body ?? "")".utf8)
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", port), sending: bytes)
        let answer = try await client.answer()
        try await client.close()
        for field in answer.fields where field.name.lowercased() == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies.withLock { $0[String(pair[0])] = String(pair[1]) } }
        }
        return answer
    }

    private static func part(of text: String, _ start: String, _ end: String) -> String? {
        guard let first = text.range(of: start), let last = text[first.upperBound...].range(of: end) else { return nil }
        return String(text[first.upperBound..<last.lowerBound])
    }
}
