import { limits } from '../limits.ts'

/** The time limit for an upload on the slowest supported line. Both sides apply it. */
export function limitUploadMs(bytes: number): number {
  return limits.uploadTimeoutMs + Math.ceil((bytes / limits.uploadSlowestBytesPerSecond) * 1_000)
}
