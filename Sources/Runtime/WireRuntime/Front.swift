package final class Front: Sendable { func install(_ g: Generation) {} ; package init() {} }
