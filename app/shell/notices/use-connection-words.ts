import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { type ConnectionWords, describeConnection } from './describe-connection.ts'
import { usePatientWords } from './use-patient-words.ts'

/** What there is to say of the connection now, once it is time for it. */
export function useConnectionWords(): ConnectionWords | undefined {
  return usePatientWords(describeConnection(useLiveValue(useMessenger().connection)))
}
