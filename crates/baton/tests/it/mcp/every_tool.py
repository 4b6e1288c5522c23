"""Calls tools with the official client, which checks every answer against its
schema, and prints which of them answered with an error."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(program, calls):
    server = StdioServerParameters(command=program, args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = {tool.name for tool in (await session.list_tools()).tools}
        answers = []
        for name, arguments in calls:
            assert name in listed, name
            answer = await session.call_tool(name, arguments)
            assert answer.structuredContent is not None, name
            answers.append([name, answer.isError])
        for resource in (await session.list_resources()).resources:
            await session.read_resource(resource.uri)
        await session.list_prompts()
        print(json.dumps(answers))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
