/** Method and path of every route. No schema is loaded with it, so that a page can call the server with this alone. */
import type { RoutePlace } from "./route.ts";

export const ROUTE_PLACES = {
  signIn: ["POST", "/api/sign-in"],
  signOut: ["POST", "/api/sign-out"],
  status: ["GET", "/api/status"],
  openApi: ["GET", "/api/openapi.json"],

  listWorkspaces: ["GET", "/api/workspaces"],
  openWorkspace: ["POST", "/api/workspaces"],
  listAgents: ["GET", "/api/workspaces/:workspaceId/agents"],
  checkAgent: ["POST", "/api/workspaces/:workspaceId/agents/check"],
  getAgent: ["GET", "/api/workspaces/:workspaceId/agents/:name"],
  saveAgent: ["PUT", "/api/workspaces/:workspaceId/agents/:name"],
  listSkills: ["GET", "/api/workspaces/:workspaceId/skills"],
  listTools: ["GET", "/api/workspaces/:workspaceId/tools"],
  listCommands: ["GET", "/api/workspaces/:workspaceId/commands"],
  listFiles: ["GET", "/api/workspaces/:workspaceId/files"],
  listSettings: ["GET", "/api/workspaces/:workspaceId/settings"],
  listRules: ["GET", "/api/workspaces/:workspaceId/rules"],
  deleteRule: ["DELETE", "/api/workspaces/:workspaceId/rules/:ruleId"],
  listModels: ["GET", "/api/workspaces/:workspaceId/models"],
  getDoctor: ["GET", "/api/workspaces/:workspaceId/doctor"],
  listTestCases: ["GET", "/api/workspaces/:workspaceId/test-cases"],
  listTests: ["GET", "/api/workspaces/:workspaceId/tests"],
  startTestRun: ["POST", "/api/workspaces/:workspaceId/tests"],
  getTestRun: ["GET", "/api/workspaces/:workspaceId/tests/:testRunId"],
  cancelTestRun: ["POST", "/api/workspaces/:workspaceId/tests/:testRunId/cancel"],

  listSessions: ["GET", "/api/sessions"],
  startSession: ["POST", "/api/sessions"],
  getSession: ["GET", "/api/sessions/:sessionId"],
  deleteSession: ["DELETE", "/api/sessions/:sessionId"],
  startTurn: ["POST", "/api/sessions/:sessionId/turns"],
  listQueuedTurns: ["GET", "/api/sessions/:sessionId/queue"],
  queueTurn: ["POST", "/api/sessions/:sessionId/queue"],
  dropQueuedTurn: ["DELETE", "/api/sessions/:sessionId/queue/:turnId"],
  resumeSession: ["POST", "/api/sessions/:sessionId/resume"],
  forkSession: ["POST", "/api/sessions/:sessionId/fork"],
  stopSession: ["POST", "/api/sessions/:sessionId/cancel"],
  exportSession: ["GET", "/api/sessions/:sessionId/export"],
  listEvents: ["GET", "/api/sessions/:sessionId/events"],
  getView: ["GET", "/api/sessions/:sessionId/view"],
  getRunPart: ["GET", "/api/sessions/:sessionId/runs/:runId"],
  listSteps: ["GET", "/api/sessions/:sessionId/runs/:runId/steps"],
  listMessages: ["GET", "/api/sessions/:sessionId/messages"],
  getTree: ["GET", "/api/sessions/:sessionId/tree"],
  listSessionPlans: ["GET", "/api/sessions/:sessionId/plans"],
  getArtifact: ["GET", "/api/sessions/:sessionId/artifacts/:artifactId"],
  streamSession: ["GET", "/api/sessions/:sessionId/stream"],
  search: ["GET", "/api/search"],

  cancelRun: ["POST", "/api/runs/:runId/cancel"],
  sendMessage: ["POST", "/api/runs/:runId/messages"],
  withdrawMessage: ["DELETE", "/api/runs/:runId/messages/:messageId"],

  listApprovals: ["GET", "/api/approvals"],
  getApproval: ["GET", "/api/approvals/:approvalId"],
  answerApproval: ["POST", "/api/approvals/:approvalId/answer"],

  listPlans: ["GET", "/api/plans"],
  makePlan: ["POST", "/api/plans"],
  runPlan: ["POST", "/api/plans/run"],

  getStats: ["GET", "/api/stats"],
} as const satisfies Record<string, RoutePlace>;

export type RouteName = keyof typeof ROUTE_PLACES;

/** Where sockets are opened: one session by sequence number, or what changes in the lists of all. */
export const FEED_PLACES = {
  session: "/api/sessions/:sessionId/feed",
  all: "/api/feed",
} as const;
