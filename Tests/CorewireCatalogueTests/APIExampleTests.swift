import CorewireCatalogue
import Testing
import WireHTTP

@Suite("The examples of the local API")
struct APIExampleTests {
    @Test("each can be read as what it is an example of")
    func readable() { #expect(Shipped.api.refusedExamples == []) }

    @Test("every body and every answer that is a record has one")
    func complete() { #expect(Shipped.api.withoutExample == []) }
}
