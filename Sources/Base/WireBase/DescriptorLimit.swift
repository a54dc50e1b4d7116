import Glibc

/// The process's limit of open descriptors.
package enum DescriptorLimit {
    package static var present: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Int(Int32.max) }
        return Int(clamping: limit.rlim_cur)
    }
}
