import { useParams } from 'react-router-dom'
import { AdminPage } from '../../admin/admin-page.tsx'
import { NotFoundPage } from '../layout/not-found-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useServices, useSession } from '../session/services-context.ts'

/** Administration; for who is no admin, a page that is not there. */
export function AdminRoute() {
  const { part } = useParams()
  const { admin } = useServices()
  const session = useSession()
  const goUp = useWayUp()
  if (!session?.user.isAdmin) return <NotFoundPage />
  return (
    <PageFrame section="settings" title="Administration">
      <AdminPage
        calls={admin}
        part={part}
        onBack={() => goUp({ to: '/settings', fits: (path) => path.startsWith('/settings') })}
      />
    </PageFrame>
  )
}
