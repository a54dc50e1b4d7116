/// What libFuzzer calls, again and again; the name the program is called by says which property it tries to break.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try property.check(bytes)
    } catch {
        // The fuzzer takes a trap for a finding, and keeps the input.
        fatalError("\(property) is broken: \(error)")
    }
    return 0
}

private let property: Property = {
    let name = CommandLine.arguments[0].split(separator: "/").last?.split(separator: "-").last.map(String.init) ?? ""
    guard let property = Property(rawValue: name) else { fatalError("call this program fuzz-yaml, fuzz-json, …") }
    return property
}()
