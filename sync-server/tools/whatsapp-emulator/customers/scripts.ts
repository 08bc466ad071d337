import type { StatusName } from '../state/emulator-state.ts'

/** A later status, and its delay after the answer. */
export interface PlannedStatus {
  afterMs: number
  status: StatusName
  errorCode?: number
}

export interface Refusal {
  code: number
  /** How often, before it is accepted. */
  times?: number
  /** For how long after the first. */
  forMs?: number
  isTransient?: boolean
  isDataBare?: boolean
}

export type ReplyKind =
  | 'text'
  | 'image'
  | 'voice'
  | 'document'
  | 'location'
  | 'contacts'
  | 'press'
  | 'template press'
  | 'reaction'
  | 'unsupported'
  | 'new number'
  | 'edit and revoke'

/**
 * A scripted recipient's behaviour. `manner`: `twice` delivers each webhook twice; `one batch` all
 * in one, with an inbound message; `early` sends `sent` before the answer; `again` repeats all in
 * another batch; the rest concerns the answer itself.
 */
export interface Script {
  refuse?: Refusal
  statuses?: readonly PlannedStatus[]
  manner?:
    | 'twice'
    | 'one batch'
    | 'early'
    | 'again'
    | 'silent'
    | 'reset'
    | 'html'
    | 'malformed'
    | 'held'
  reply?: ReplyKind
  onlyFor?: 'media' | 'template'
  isPhoneHidden?: boolean
}

interface Latencies {
  sentMs: number
  deliveredMs: number
  readMs: number
}

/** The script of a fictional number +1 555 555 01NN; everybody else reads all messages. */
export function findScript(digits: string, latencies: Latencies): Script {
  const [, nn] = /^155555501(\d\d)$/.exec(digits) ?? []
  return (nn && listScripts(latencies)[nn]) || {}
}

export function planOrdinary({ sentMs, deliveredMs, readMs }: Latencies): PlannedStatus[] {
  return [
    { afterMs: sentMs, status: 'sent' },
    { afterMs: deliveredMs, status: 'delivered' },
    { afterMs: readMs, status: 'read' },
  ]
}

function listScripts({ sentMs, deliveredMs, readMs }: Latencies): Record<string, Script> {
  const sent = { afterMs: sentMs, status: 'sent' } as const
  const delivered = { afterMs: deliveredMs, status: 'delivered' } as const
  const fail = (errorCode: number): Script => ({
    statuses: [{ afterMs: sentMs, status: 'failed', errorCode }],
  })
  return {
    '01': { statuses: [sent, delivered] },
    '02': { statuses: [sent] },
    '03': { statuses: [sent, { afterMs: readMs, status: 'read' }] },
    '04': {
      statuses: [
        { afterMs: sentMs, status: 'read' },
        delivered,
        { afterMs: readMs, status: 'sent' },
      ],
    },
    '05': { manner: 'twice' },
    '06': { manner: 'one batch' },
    '07': { manner: 'early' },
    '08': {
      statuses: planOrdinary({ sentMs, deliveredMs, readMs }).map((planned) => ({
        ...planned,
        afterMs: planned.afterMs + 30_000,
      })),
    },
    '09': { manner: 'again' },
    '10': fail(131026),
    '11': fail(131047),
    '12': { refuse: { code: 131047 } },
    '13': fail(131049),
    '14': fail(131050),
    '15': fail(130472),
    '16': { ...fail(131053), onlyFor: 'media' },
    '17': { refuse: { code: 131000, times: 2 } },
    '18': { refuse: { code: 2, times: 3, isTransient: true } },
    '19': { refuse: { code: 131056, forMs: 6_000 } },
    '20': { refuse: { code: 130429, times: 1 } },
    '21': { refuse: { code: 80007 } },
    '22': { refuse: { code: 4 } },
    '23': { refuse: { code: 190 } },
    '24': { refuse: { code: 368 } },
    '25': { refuse: { code: 131031 } },
    '26': { refuse: { code: 131030 } },
    '27': { refuse: { code: 131042 } },
    '28': { refuse: { code: 132015 }, onlyFor: 'template' },
    '29': {
      statuses: [
        sent,
        { afterMs: deliveredMs, status: 'failed', errorCode: 131026 },
        { afterMs: readMs, status: 'delivered' },
      ],
    },
    '30': { manner: 'silent' },
    '31': { manner: 'reset' },
    '32': { manner: 'html' },
    '33': { manner: 'malformed' },
    '34': { refuse: { code: 131009, isDataBare: true } },
    '35': { manner: 'held', onlyFor: 'template' },
    '40': { reply: 'text' },
    '41': { reply: 'image' },
    '42': { reply: 'voice' },
    '43': { reply: 'document' },
    '44': { reply: 'location' },
    '45': { reply: 'contacts' },
    '46': { reply: 'press' },
    '47': { reply: 'template press' },
    '48': { reply: 'reaction' },
    '49': { reply: 'unsupported' },
    '50': { isPhoneHidden: true },
    '51': { reply: 'new number' },
    '52': { reply: 'edit and revoke' },
  }
}
