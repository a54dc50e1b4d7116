import Foundation
import FuzzProperties
import Support
import Testing

@Suite("What the fuzzer once found, and what it begins with")
struct FindingTests {
    static let inputs = Property.allCases.flatMap { property in
        ["Fuzz/findings", "Fuzz/seeds"].flatMap { Repository.files(below: "\($0)/\(property.rawValue)") }.map {
            (property, $0)
        }
    }

    @Test("there is something to begin with for each property", arguments: Property.allCases)
    func seeds(property: Property) {
        #expect(!Repository.files(below: "Fuzz/seeds/\(property.rawValue)").isEmpty)
    }

    @Test("keeps its promise", arguments: inputs)
    func input(property: Property, path: String) throws {
        let bytes = try Data(contentsOf: Repository.root.appendingPathComponent(path))
        try property.check(Array(bytes))
    }
}
