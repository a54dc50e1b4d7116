import Testing
import WireBase

@Suite("Finding the first thing")
struct FirstFoundTests {
    @Test("each element is looked at once, as it may be another the second time, and none after the first")
    func once() {
        var looks: [Int] = []
        let found = [1, 2, 3, 4].firstFound { number -> String? in
            defer { looks.append(number) }
            // Whoever looked a second time would find nothing.
            return number > 1 && !looks.contains(number) ? "\(number)" : nil
        }
        #expect(found == "2")
        #expect(looks == [1, 2])
        #expect([Int]().firstFound { $0 } == nil)
    }
}
