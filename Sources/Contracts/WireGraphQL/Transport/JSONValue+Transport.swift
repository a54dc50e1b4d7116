package import WireBase
package import WireConfig

extension JSONValue {
    /// Reads JSON that is a part of a request or a message, which the fault names.
    package init(_ bytes: [UInt8], of part: String, limits: ReadingLimits) throws(Fault) {
        do throws(Unreadable) {
            self = try JSONValue(parsing: bytes, named: part, limits: limits)
        } catch {
            throw Fault("\(part) is not JSON: \(error.problem.message)")
        }
    }
}
