import { saveFile } from '../../media/files/save-file.ts'
import type { OwnEncryption } from '../../settings/encryption-section.tsx'
import { useKeyState } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'

/** What the section Security can do with the person's keys. */
export function useOwnEncryption(): OwnEncryption | undefined {
  const { access } = useServices()
  const known = useKeyState()
  return (
    known && {
      ...known,
      makeRecoveryKey: access.makeRecoveryKey,
      checkRecoveryKey: access.checkRecoveryKey,
      confirmRecoveryKey: access.confirmRecoveryKey,
      unlockByPassword: access.unlockByPassword,
      unlockByRecoveryKey: access.unlockByRecoveryKey,
      beginNewKeys: access.beginNewKeys,
      saveFile,
    }
  )
}
