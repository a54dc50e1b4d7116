import CorewireCatalogue
import Testing
import WireHTTP

@Suite("Examples of the local API")
struct APIExampleTests {
    @Test("each example is valid for its type")
    func readable() { #expect(Shipped.api.refusedExamples == []) }

    @Test("every body and every response of an object type has an example")
    func complete() { #expect(Shipped.api.withoutExample == []) }
}
