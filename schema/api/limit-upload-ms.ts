import { limits } from '../limits.ts'

/** How long the upload of a file may take, on the slowest line that is waited for. Both sides give up by it. */
export function limitUploadMs(bytes: number): number {
  return limits.uploadTimeoutMs + Math.ceil((bytes / limits.uploadSlowestBytesPerSecond) * 1_000)
}
