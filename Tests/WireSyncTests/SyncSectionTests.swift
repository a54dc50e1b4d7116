import Testing
import WireSync

@Suite("The sync section")
struct SyncSectionTests {
    @Test("the section has the names of the libraries it replaces as keywords")
    func otherNames() { #expect(SyncSection.otherNames.contains("datasync")) }
}
