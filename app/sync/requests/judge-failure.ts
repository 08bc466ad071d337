import { isSignedOutAnswer } from '../../../schema/api/api-error.ts'
import { ApiError } from '../../api/api-error.ts'

/** `again`: the server has not decided. `refused`: it has, and a retry changes nothing. */
export type Judgement = 'again' | 'refused' | 'signed-out'

const passing = [408, 425, 429]
/** Without our server's own words, an intermediary answered: a proxy, or a hotel's sign-in page. */
const notOfOurServer = ['unknown', 'unreadable', 'network', 'timeout']

export function judgeFailure(cause: unknown): Judgement {
  if (!(cause instanceof ApiError)) return 'again'
  const { status, code } = cause
  if (isSignedOutAnswer({ status, body: { code } })) return 'signed-out'
  if (code === 'input') return 'refused'
  const isDecided = status >= 400 && status < 500 && !passing.includes(status)
  // An upload in pieces resumes where the server has it, or starts over.
  if (code === 'upload_out_of_step' || code === 'upload_not_found') return 'again'
  // After the update, the same request passes.
  if (code === 'app_outdated') return 'again'
  // Only the person can free space.
  if (code === 'storage_full') return 'refused'
  return isDecided && !notOfOurServer.includes(code) ? 'refused' : 'again'
}
