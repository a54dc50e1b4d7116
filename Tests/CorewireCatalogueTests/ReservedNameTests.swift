import CorewireCatalogue
import Testing
import WireHTTP
import WireService

@Suite("Reserved names in paths of the local API")
struct ReservedNameTests {
    /// Where a fixed word stands in the place of a name.
    ///
    /// The services refuse these words as names, by the same declarations.
    private static let contested = ["/v1/notifications", "/v1/outbox"]

    @Test("a fixed path segment in the place of a name is a name that the service rejects")
    func contested() {
        let operations = Shipped.services.flatMap { $0.operations }
        let named = operations.flatMap { operation in
            let segments = operation.pattern.split(separator: "/").map(String.init)
            return segments.indices.filter { segments[$0].hasPrefix("{") }.map {
                "/" + segments[..<$0].joined(separator: "/")
            }
        }
        let found = Set(named).filter { !operations.words(below: $0).isEmpty }
        #expect(found.sorted() == Self.contested)
        #expect(operations.words(below: "/v1/outbox") == ["pause", "resume", "retry"])
    }
}
