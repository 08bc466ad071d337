import { useEffect, useMemo } from 'react'
import { useNavigate } from 'react-router-dom'
import { SharedOffer } from '../../offline/install-offer.tsx'
import { createSharedItems } from '../../offline/shared-items.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useSharedItems } from './use-shared-items.ts'

/** Links to items shared before sign-in or left unsent; renders nothing if there are none. */
export function WaitingShare({ onWaiting }: { onWaiting(isWaiting: boolean): void }) {
  const { userId } = useMessenger()
  const navigate = useNavigate()
  const items = useMemo(() => createSharedItems({ userId }), [userId])
  const { list } = useSharedItems(items)
  const [first] = list ?? []
  const isWaiting = first !== undefined
  useEffect(() => onWaiting(isWaiting), [onWaiting, isWaiting])
  if (!first) return null
  return (
    <SharedOffer
      onChoose={() => void navigate('/share')}
      onDiscard={() => void items.discard(first.id).catch(() => {})}
    />
  )
}
