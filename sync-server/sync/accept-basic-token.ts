import type { Request } from 'express'

/**
 * Some replicators can carry only a user and a password in a URL: for them the token is the password, under any user
 * name. It is checked as any other token is.
 */
export function acceptBasicToken(request: Request) {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (encoded === undefined) return
  const login = Buffer.from(encoded, 'base64').toString()
  request.headers.authorization = `Bearer ${login.slice(login.indexOf(':') + 1)}`
}
