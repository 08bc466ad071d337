import { unknownTitle, wireErrors } from './wire-errors.ts'

interface FaultDetails {
  /** Overrides the code's usual status. */
  status?: number
  /** The text of `error_data.details`. */
  details?: string
  subcode?: number
  type?: string
  /** Replaces the code's own title, verbatim: without the code before it. */
  message?: string
  isTransient?: boolean
  /** Sends `error_data` as a bare string, as some answers do. */
  isDataBare?: boolean
}

/** An answer in Meta's error format. */
export class GraphFault extends Error {
  override name = 'GraphFault'
  readonly code: number
  readonly status: number
  readonly extra: FaultDetails

  constructor(code: number, extra: FaultDetails = {}) {
    const known = wireErrors[code]
    super(extra.message ?? `(#${code}) ${known?.title ?? unknownTitle}`)
    this.code = code
    this.status = extra.status ?? known?.status ?? 400
    this.extra = extra
  }

  /** The body in Meta's form. */
  toBody(traceId: string) {
    const { details, subcode, type, isTransient, isDataBare } = this.extra
    const text = details ?? wireErrors[this.code]?.details
    return {
      error: {
        message: this.message,
        type: type ?? 'OAuthException',
        code: this.code,
        ...(text !== undefined && {
          error_data: isDataBare ? text : { messaging_product: 'whatsapp', details: text },
        }),
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(isTransient !== undefined && { is_transient: isTransient }),
        fbtrace_id: traceId,
      },
    }
  }
}

/** Meta's answer for a missing or hidden object. */
export function refuseUnknownNode(method: string, id: string): GraphFault {
  const verb = method === 'GET' ? 'get' : method === 'DELETE' ? 'delete' : 'post'
  return new GraphFault(100, {
    subcode: 33,
    type: 'GraphMethodException',
    message: `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
  })
}
