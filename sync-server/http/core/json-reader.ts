import express, { type RequestHandler } from 'express'
import { hasBody } from './has-body.ts'
import { RequestRefused } from './request-refused.ts'

const depthMax = 32

/**
 * Reads a JSON body of at most `limitBytes`. Refuses deep nesting before parsing, because code that
 * walks it would overflow the stack. Refuses other content types; rejects an empty body, which
 * Express would read as `{}` and so clear what a call replaces.
 */
export function createJsonReader({ limitBytes }: { limitBytes: number }): RequestHandler {
  const read = express.json({ limit: limitBytes, strict: false, verify: checkText })
  return (request, response, next) => {
    if (!hasBody(request)) return next()
    if (request.is('json')) read(request, response, next)
    else next(new RequestRefused('json_required'))
  }
}

function checkText(_request: unknown, _response: unknown, body: Buffer) {
  if (body.length === 0) throw new RequestRefused('not_json')
  if (measureDepth(body) > depthMax) throw new RequestRefused('nested_too_deeply')
}

const [openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('{}[]')
const [quote, backslash] = Buffer.from('"\\')

/** How deep objects and arrays nest; ignores brackets inside strings. */
export function measureDepth(json: Buffer): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (isInString) {
      if (byte === backslash) at += 1
      else if (byte === quote) isInString = false
    } else if (byte === quote) isInString = true
    else if (byte === openBrace || byte === openBracket) deepest = Math.max(deepest, ++depth)
    else if (byte === closeBrace || byte === closeBracket) depth -= 1
  }
  return deepest
}
