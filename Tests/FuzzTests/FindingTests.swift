import Foundation
import FuzzProperties
import Support
import Testing

@Suite("Regressions found by the fuzzer, and its seeds")
struct FindingTests {
    static let inputs = Property.allCases.flatMap { property in
        ["Fuzz/findings", "Fuzz/seeds"].flatMap { Repository.files(below: "\($0)/\(property.rawValue)") }.map {
            (property, $0)
        }
    }

    @Test("every property has seeds", arguments: Property.allCases)
    func seeds(property: Property) {
        #expect(!Repository.files(below: "Fuzz/seeds/\(property.rawValue)").isEmpty)
    }

    @Test("a seed satisfies its property", arguments: inputs)
    func input(property: Property, path: String) throws {
        let bytes = try Data(contentsOf: Repository.root.appendingPathComponent(path))
        try property.check(Array(bytes))
    }
}
