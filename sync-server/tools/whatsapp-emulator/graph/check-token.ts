import { createHmac } from 'node:crypto'
import type { Emulation } from '../state/emulation.ts'
import { GraphFault } from '../wire/graph-fault.ts'

/** @throws GraphFault 104 without a token, 190 for a wrong one, 100 for a proof of another token */
export function checkToken(
  { config }: Emulation,
  token: string | undefined,
  query: URLSearchParams,
) {
  if (token === undefined) throw new GraphFault(104, { status: 401 })
  if (token !== config.accessToken) {
    throw new GraphFault(190, {
      message: 'Error validating access token: Session has expired',
      subcode: 463,
    })
  }
  const proof = query.get('appsecret_proof')
  if (proof === null) return
  const right = createHmac('sha256', config.appSecret).update(token).digest('hex')
  if (proof !== right) {
    throw new GraphFault(100, { message: 'Invalid appsecret_proof provided in the API argument' })
  }
}
