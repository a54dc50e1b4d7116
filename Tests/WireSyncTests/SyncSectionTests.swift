import Testing
import WireSync

@Suite("Sync section")
struct SyncSectionTests {
    @Test("is found by the names of the libraries it replaces")
    func otherNames() { #expect(SyncSection.otherNames.contains("datasync")) }
}
