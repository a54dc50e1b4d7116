import Testing
import WireBase

@Suite("First match in a sequence")
struct FirstFoundTests {
    @Test("each element is checked once, and none after the match")
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
