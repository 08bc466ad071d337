import { createContext, use } from 'react'
import { limits } from '../../../schema/limits.ts'
import type { LiveSource } from '../hooks/use-live-value.ts'
import { useLiveValue } from '../hooks/use-live-value.ts'

/** Finds people's pictures by the address that the server gave them. */
export interface PictureSource {
  /** An address that the page may show; undefined until the picture is here. */
  get(address: string): LiveSource<string | undefined>
}

const PictureContext = createContext<PictureSource | undefined>(undefined)
/** Gives every avatar below it the pictures. */
export const PictureProvider = PictureContext.Provider

const nothing: LiveSource<string | undefined> = {
  getSnapshot: () => undefined,
  subscribe: () => () => {},
}

/**
 * What an image element can show for a person's picture: the server's own address needs the token.
 * A picture that is only on this device, such as a new one, passes as it is.
 */
export function usePicture(picture: string | undefined): string | undefined {
  const source = use(PictureContext)
  const isOfServer = picture?.startsWith(limits.mediaPathPrefix) ?? false
  const found = useLiveValue((isOfServer && picture && source?.get(picture)) || nothing)
  if (isOfServer) return found
  return picture?.startsWith('blob:') || picture?.startsWith('data:image/') ? picture : undefined
}
