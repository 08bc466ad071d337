import { useMemo } from 'react'
import type { SecuritySectionProps } from '../../settings/security-section.tsx'
import { useMessenger } from './messenger-context.tsx'
import { useServices } from './services-context.ts'

/** The person's signed-in devices, and how to end one. */
export function useSignIns(): SecuritySectionProps['signIns'] {
  const { own } = useServices()
  const { signIns, connection } = useMessenger()
  return useMemo(
    () => ({ ...signIns, connection, end: own.endSession, endOthers: own.endOtherSessions }),
    [signIns, connection, own],
  )
}
